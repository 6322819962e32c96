// The parts views are made of. Each takes plain data and shows text as text.
import { html, cls, useState, useEffect, useRef, since, moment, number, words } from "./ui.js";
import { Icon } from "./icons.js";
import { link } from "./router.js";

export { Icon };

// The head of a view: <${Head} title="Inbox" lead="What waits for your word."> buttons </>.
export function Head({ title, lead, children }) {
  return html`<header class="head"><div class="grow"><h1 tabindex="-1">${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>
    ${children && html`<div class="actions">${children}</div>`}</header>`;
}

export function Card({ title, aside, children, class: more }) {
  return html`<section class=${cls("card", more)}>${(title || aside) && html`<div class="card-head">${title && html`<h2>${title}</h2>`}${aside}</div>`}${children}</section>`;
}

// What stands where nothing is: what this place is for, and what to do first.
export function Empty({ icon = "spark", title, children, action }) {
  return html`<div class="empty"><span class="empty-icon"><${Icon} name=${icon} size=${26} /></span><h2>${title}</h2><div class="empty-text">${children}</div>${action}</div>`;
}

export function Wait({ lines = 4 }) {
  return html`<div class="wait" role="status" aria-label="Loading">${Array.from({ length: lines }, (_, at) => html`<span key=${at} class=${`bone bone-${at % 4}`}></span>`)}</div>`;
}

export function Trouble({ error, again }) {
  return html`<div class="empty" role="alert"><span class="empty-icon bad"><${Icon} name="alert" size=${26} /></span><h2>${error.title || "That did not work"}</h2>
    <p class="empty-text">${error.message}</p>${again && html`<button class="button" onClick=${again}>Try again</button>`}</div>`;
}

// What a load gives: bones while it waits, trouble when it failed, else what the function makes of the data.
export function Loaded({ of, lines, children }) {
  if (of.error) return html`<${Trouble} error=${of.error} again=${of.reload} />`;
  if (of.data === undefined) return html`<${Wait} lines=${lines} />`;
  return children(of.data);
}

export const Badge = ({ children, tone = "" }) => html`<span class=${cls("badge", tone)}>${children}</span>`;
const TONES = { active: "good", proposed: "accent", quarantined: "warn", superseded: "quiet", merged: "quiet", deleted: "bad", expired: "quiet", archived: "quiet" };
export const State = ({ state }) => html`<${Badge} tone=${TONES[state] || ""}>${words(state)}</>`;
export const Time = ({ at }) => html`<time datetime=${at} title=${moment(at)}>${since(at)}</time>`;
export const Key = ({ children }) => html`<kbd>${children}</kbd>`;

// A button that says what it does, and is not pressed twice while it does it.
export function Button({ icon, tone, small, onClick, disabled, title, children, type = "button", ...rest }) {
  const [busy, set] = useState(false);
  const press = async (event) => {
    set(true);
    try {
      await onClick?.(event);
    } finally {
      set(false);
    }
  };
  return html`<button type=${type} class=${cls("button", tone, small && "small", !children && "square")} disabled=${disabled || busy} title=${title} aria-label=${children ? undefined : title} onClick=${onClick && press} ...${rest}>
    ${icon && html`<${Icon} name=${icon} size=${small ? 15 : 17} />`}${children}</button>`;
}

export function Field({ label, hint, children }) {
  return html`<label class="field"><span class="field-label">${label}</span>${children}${hint && html`<span class="hint">${hint}</span>`}</label>`;
}

export function Select({ value, options, onChange, label }) {
  return html`<select class="input" value=${value} aria-label=${label} onChange=${(event) => onChange(event.target.value)}>
    ${options.map((one) => { const [key, text] = Array.isArray(one) ? one : [one, words(one)]; return html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`; })}</select>`;
}

// Tabs are links or choices; the chosen one is told to those who hear the page.
export function Tabs({ chosen, options, onChoose, label = "Sections" }) {
  const step = (event, at) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    const next = (at + move + options.length) % options.length;
    onChoose(options[next][0]);
    event.currentTarget.parentElement.children[next].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label}>${options.map(([key, text, count], at) => html`<button key=${key} role="tab" type="button" aria-selected=${key === chosen} tabindex=${key === chosen ? 0 : -1}
    onKeyDown=${(event) => step(event, at)} onClick=${() => onChoose(key)}>${text}${count !== undefined && html`<span class="count">${number(count)}</span>`}</button>`)}</div>`;
}

// A number that is a link: <${Figure} label="Facts" value=${12} href=${link("search", [], { kind: "fact" })} />.
export function Figure({ label, value, note, href, tone }) {
  return html`<a class=${cls("figure", tone)} href=${href}><span class="figure-label">${label}</span><strong>${value}</strong>${note && html`<span class="figure-note">${note}</span>`}</a>`;
}

const SOURCES = { user: "saved by hand", directive: "asked for", session: "from a conversation", agent: "by an agent", tool: "by a tool", import: "imported", job: "by a job" };
// Where a memory is from and how it stands, in one quiet line.
export function Facts({ memory }) {
  return html`<span class="facts"><${Badge}>${words(memory.kind)}</>${memory.state !== "active" && html`<${State} state=${memory.state} />`}
    ${memory.pinned && html`<${Badge} tone="accent">pinned</>`}<${Time} at=${memory.event_time} />${memory.topic && html`<span>${memory.topic}</span>`}
    ${memory.actor && html`<span>${memory.actor}</span>`}<span>${SOURCES[memory.source] || words(memory.source)}</span>${memory.project && html`<span>in ${memory.project}</span>`}</span>`;
}

// One memory in a list; children stand below it, `aside` beside it.
export function MemoryRow({ memory, aside, children, chosen, ...rest }) {
  return html`<article class=${cls("row", chosen && "chosen")} ...${rest}><div class="grow"><a class="row-text" dir="auto" href=${link("memory", [memory.id])}>${memory.content || "(empty)"}</a>
    <${Facts} memory=${memory} />${children}</div>${aside && html`<div class="row-aside">${aside}</div>`}</article>`;
}

// Says under a memory that another one may have taken its place.
export const Newer = ({ by }) => (by ? html`<p class="faint"><a href=${link("memory", [by])}>A newer memory</a> may have taken its place.</p>` : null);

// Shares as bars: items are { name, value, note }; `most` is the value of a whole bar, the largest unless told.
export function Bars({ items, label = "Shares", most = Math.max(...items.map((one) => Math.abs(one.value)), 1e-9) }) {
  return html`<dl class="bars" aria-label=${label}>${items.map((one) => html`<div key=${one.name} class=${cls("bar", one.value < 0 && "negative")}><dt>${words(one.name)}</dt>
    <dd><span class="bar-track"><span class="bar-fill" style=${{ width: `${Math.min(100, Math.max(2, (100 * Math.abs(one.value)) / most))}%` }}></span></span><span class="bar-note">${one.note}</span></dd></div>`)}</dl>`;
}

const TOKENS = /\s+|[^\s]+/g, MOST_CELLS = 2_000_000;

// The differences of two texts, word by word: [["same" | "out" | "in", text], …].
export function differences(before, after) {
  const a = before.match(TOKENS) || [], b = after.match(TOKENS) || [];
  if (before === after) return before ? [["same", before]] : [];
  if (a.length * b.length > MOST_CELLS) return [["out", before], ["in", after]];
  const wide = b.length + 1, longest = new Uint32Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * wide + j] = a[i] === b[j] ? longest[(i + 1) * wide + j + 1] + 1 : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
  const parts = [];
  const add = (kind, text) => (parts.at(-1)?.[0] === kind ? (parts.at(-1)[1] += text) : parts.push([kind, text]));
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) add("same", (i++, b[j++]));
    else if (j >= b.length || (i < a.length && longest[(i + 1) * wide + j] >= longest[i * wide + j + 1])) add("out", a[i++]);
    else add("in", b[j++]);
  }
  return parts;
}

export function Diff({ before, after }) {
  return html`<p class="diff" dir="auto">${differences(before, after).map(([kind, text], at) => (kind === "same" ? text : kind === "out" ? html`<del key=${at}>${text}</del>` : html`<ins key=${at}>${text}</ins>`))}</p>`;
}

// A table whose rows can be chosen: columns are { name, title, show(row), wide }, `chosen` is a Set of keys.
export function Table({ columns, rows, keyOf = (row) => row.id, chosen, onChoose, onOpen, caption }) {
  const toggle = (key) => {
    const next = new Set(chosen);
    next.has(key) ? next.delete(key) : next.add(key);
    onChoose(next);
  };
  const all = chosen && rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)));
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label=${caption}><table class="table"><caption class="unseen">${caption}</caption>
    <thead><tr>${chosen && html`<th class="tick"><input type="checkbox" aria-label="Choose all shown" checked=${all} onChange=${() => onChoose(all ? new Set() : new Set(rows.map(keyOf)))} /></th>`}
      ${columns.map((one) => html`<th key=${one.name} scope="col" class=${one.number ? "number" : ""}>${one.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${keyOf(row)} class=${cls(chosen?.has(keyOf(row)) && "chosen", onOpen && "opens")} onClick=${onOpen && ((event) => event.target.closest("a,button,input,label") || onOpen(row))}>
      ${chosen && html`<td class="tick"><input type="checkbox" aria-label="Choose this row" checked=${chosen.has(keyOf(row))} onChange=${() => toggle(keyOf(row))} /></td>`}
      ${columns.map((one) => html`<td key=${one.name} class=${cls(one.wide && "wide", one.number && "number")} dir=${one.wide ? "auto" : undefined}>${one.show(row)}</td>`)}</tr>`)}</tbody></table></div>`;
}

// A list walked with j and k or the arrows; `keys` gets (event, item) for all other keys.
export function Walk({ items, keys, children, label }) {
  const [at, set] = useState(0);
  const box = useRef();
  const here = Math.min(at, Math.max(items.length - 1, 0));
  useEffect(() => { box.current?.children[here]?.scrollIntoView({ block: "nearest" }); }, [here]);
  const press = (event) => {
    if (event.target.closest("input,textarea,select,dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = Math.min(Math.max(here + step, 0), items.length - 1);
      set(next);
      box.current?.children[next]?.focus();
    } else if (items[here]) keys?.(event, items[here]);
  };
  return html`<div class="walk" role="list" aria-label=${label} ref=${box} onKeyDown=${press}>${items.map((item, place) => html`<div key=${item.id ?? item.memory?.id ?? place} role="listitem" class=${cls("walk-item", place === here && "here")} tabindex=${place === here ? 0 : -1} onFocus=${() => set(place)}>${children(item, place === here)}</div>`)}</div>`;
}
