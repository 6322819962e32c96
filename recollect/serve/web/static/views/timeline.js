// Timeline: one day after the other; what was said, learnt and changed, and what jobs did, in the order it happened.
import { html, useState, useEffect, day as named, number, plural, words } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Icon, Tabs, State } from "../core/parts.js";
import { get, post, act, useLoad, slot } from "../core/api.js";
import { link, requery, route } from "../core/router.js";
import { failed, said } from "../core/notices.js";

const REACH = 365, LINES = 300, TRIES = 10, SHOWN = 12;
const QUIET = new Set(["linked", "unlinked", "named", "unnamed", "ran", "opened", "consolidated", "embedded"]);
const DONE = { created: "made", updated: "changed", superseded: "replaced", deleted: "forgotten", restored: "restored", pinned: "pinned", unpinned: "unpinned", confirmed: "confirmed", merged: "merged", tiered: "moved to another tier", aged: "moved to the long tier", accepted: "accepted", rejected: "rejected", undone: "taken back", moved: "moved", rated: "rated", united: "united", parted: "parted", renamed: "renamed", erased: "erased", purged: "purged" };
const CAME = { remember: "Remembered", revise: "Corrected", blocks: "Block edited", inbox: "Inbox answered", erase: "Erased", undo: "Taken back", unite: "Names united", bulk: "Changed many", move: "Moved", observe: "Heard", update: "Changed", import: "Imported", consolidate: "Learnt from a conversation", compact: "Conversation shortened", learn: "Learnt", forget: "Forgotten", end: "Conversation closed" };
const ICONS = { talk: "sessions", learnt: "spark", change: "edit", job: "jobs" };
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });

const two = (part) => String(part).padStart(2, "0");
const iso = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const start = (day) => { const [year, month, date] = day.split("-").map(Number); return new Date(year, month - 1, date); };
const moved = (day, by) => { const date = start(day); date.setDate(date.getDate() + by); return iso(date); };

const loud = (one) => one.op === "ran" || !QUIET.has(one.op);

// A part of what happened on a day, the newest first: lines of the journal, and the memories they tell of. Links and names alone are passed over.
async function part(day, cursor, signal) {
  const after = start(day).toISOString(), before = start(moved(day, 1)).toISOString();
  const lines = [], memories = [];
  let next = cursor;
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await get("/changes/between", { after, before, limit: LINES, cursor: next }, { signal });
    lines.push(...found.entries);
    memories.push(...found.memories);
    next = found.next;
    if (!next || found.entries.some(loud)) break;
  }
  return { lines, memories, next };
}

function told(lines, known) {
  const revs = Map.groupBy ? Map.groupBy(lines, (one) => one.rev) : lines.reduce((all, one) => all.set(one.rev, [...(all.get(one.rev) || []), one]), new Map());
  const entries = [];
  for (const [rev, some] of revs) {
    const run = some.find((one) => one.op === "ran"), first = some.at(-1);
    const touched = some.filter((one) => !QUIET.has(one.op)).reverse().map((one) => ({ op: one.op, id: one.memory_id, memory: known.get(one.memory_id) }));
    const message = touched.length === 1 && touched[0].op === "created" && touched[0].memory?.kind === "episode" && touched[0].memory;
    const base = { rev, at: first.at, session: first.session, actor: first.actor, node: first.node };
    if (message) {
      const last = entries.at(-1);
      if (last?.sort === "talk" && last.session === message.session) { last.messages.unshift(message); last.at = base.at; } else entries.push({ ...base, sort: "talk", session: message.session, messages: [message] });
    } else if (run || first.node === "bulk") entries.push({ ...base, sort: "job", run: run?.memory_id, touched, quiet: some.length - touched.length - Boolean(run) });
    else if (touched.length) entries.push({ ...base, sort: touched.some((one) => one.op === "created") ? "learnt" : "change", touched });
  }
  return entries;
}

export default function Timeline({ query }) {
  const today = iso(new Date()), day = /^\d{4}-\d\d-\d\d$/.test(query.day || "") ? query.day : today, sort = query.show || "";
  const load = useLoad((signal) => part(day, "", signal), [day]);
  const growth = useLoad((signal) => get("/growth", { days: REACH }, { signal }), []);
  const to = (next) => requery({ ...route.value.query, day: next });
  const keys = (event) => { const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]; if (step && event.altKey === false && !event.target.closest("input,select,[role=tablist]")) { const next = moved(day, step); if (next <= today) { event.preventDefault(); to(next); } } };
  return html`<div class="stack wide-gap" onKeyDown=${keys}><${Head} title="Timeline" lead="What was said, learnt and changed, and what jobs did, day by day." />
    <div class="line day-line"><${Button} icon="back" title="The day before" onClick=${() => to(moved(day, -1))} /><h2 class="day-name" aria-live="polite">${start(day).toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" })}</h2><${Button} icon="forward" title="The day after" disabled=${day >= today} onClick=${() => to(moved(day, 1))} />
      <input class="input date" type="date" aria-label="Go to day" max=${today} value=${day} onChange=${(event) => event.target.value && to(event.target.value)} />${day !== today && html`<${Button} small tone="quiet" onClick=${() => to(today)}>Today</>`}</div>
    <div class="aside-left"><${Loaded} of=${growth} lines=${5}>${(rows) => html`<${Days} rows=${rows} day=${day} />`}</>
      <${Loaded} of=${load} lines=${8}>${(data) => html`<${Day} key=${day} first=${data} sort=${sort} day=${day} />`}</></div></div>`;
}

function Days({ rows, day }) {
  const days = new Map();
  for (const one of rows) { const sum = days.get(one.day) || { said: 0, made: 0 }; one.kind === "episode" ? (sum.said += one.count) : (sum.made += one.count); days.set(one.day, sum); }
  if (!days.size) return html`<p class="soft">No day has anything yet.</p>`;
  return html`<nav class="list days" aria-label="Days with something">${[...days].reverse().slice(0, 90).map(([one, sum]) => html`<a key=${one} class="list-link" href=${link("timeline", [], { ...route.value.query, day: one })} aria-current=${one === day ? "true" : undefined}><b>${named(`${one}T12:00:00`)}</b><span class="faint">${[sum.said && plural(sum.said, "message"), sum.made && plural(sum.made, "memory", "memories")].filter(Boolean).join(", ")}</span></a>`)}</nav>`;
}

function Day({ first, sort, day }) {
  const [more, set] = useState([]);
  useEffect(() => set([]), [first]);
  const parts = [first, ...more], next = parts.at(-1).next;
  const entries = told(parts.flatMap((one) => one.lines), new Map(parts.flatMap((one) => one.memories).map((one) => [one.id, one])));
  const earlier = () => part(day, next).then((found) => set([...more, found]), failed);
  const count = (one) => (next ? undefined : entries.filter((entry) => !one || entry.sort === one).length);
  const tabs = [["", "All", count("")], ["talk", "Messages", count("talk")], ["learnt", "Memories", count("learnt")], ["change", "Changes", count("change")], ["job", "Jobs", count("job")]];
  const shown = entries.filter((one) => !sort || one.sort === sort);
  return html`<div class="stack"><${Tabs} label="Show" chosen=${sort} options=${tabs} onChoose=${(show) => requery({ ...route.value.query, day, show })} />
    ${shown.length ? html`<ol class="timeline">${shown.map((one) => html`<li key=${one.rev} class=${`moment is-${one.sort}`}><time class="faint" datetime=${one.at}>${clock.format(new Date(one.at))}</time><span class="dot"><${Icon} name=${ICONS[one.sort]} size=${15} /></span><div class="moment-body">${one.sort === "talk" ? html`<${Talk} entry=${one} />` : one.sort === "job" ? html`<${Run} entry=${one} />` : html`<${Change} entry=${one} />`}</div></li>`)}</ol>`
    : html`<${Card}><${Empty} icon="timeline" title=${next ? "None of the latest changes of this day" : sort ? "None of these on this day" : "Nothing happened on this day"}>${next ? "There may be some earlier on." : "Choose another day on the side. What agents hear, learn and change appears here by itself."}</></>`}
    ${next && html`<div class="line centre"><${Button} onClick=${earlier}>Show earlier on this day</></div>`}</div>`;
}

function Talk({ entry }) {
  const [all, show] = useState(false);
  const shown = all ? entry.messages : entry.messages.slice(0, 3);
  return html`<p class="line"><b>${plural(entry.messages.length, "message")}</b>${entry.session && html`<a class="cut" href=${link("sessions", [entry.session])}>${entry.session}</a>`}</p>
    <ul class="stack tight">${shown.map((one) => html`<li key=${one.id} class="said"><span class="faint">${one.actor || one.role}</span><a class="ink row-text short" dir="auto" href=${entry.session ? link("sessions", [entry.session], { at: one.id }) : link("memory", [one.id])}>${one.content}</a></li>`)}</ul>
    ${entry.messages.length > 3 && html`<button class="inline" onClick=${() => show(!all)}>${all ? "Fewer" : `${entry.messages.length - 3} more`}</button>`}`;
}

// What each change touched, grouped by what was done to it.
function Touched({ touched }) {
  const [all, show] = useState(false);
  const shown = all ? touched : touched.slice(0, SHOWN);
  return html`<ul class="stack tight">${shown.map((one, at) => html`<li key=${at} class="touched"><${Badge} tone=${{ created: "good", deleted: "bad", erased: "bad", superseded: "quiet" }[one.op] || ""}>${DONE[one.op] || words(one.op)}</><span class="grow">${one.memory ? html`<a class="ink row-text short" dir="auto" href=${link("memory", [one.id])}>${one.memory.content || "(empty)"}</a>` : one.id.startsWith("ent_") ? html`<span class="soft">a person or thing</span>` : html`<span class="soft">${one.id ? "what is gone by now" : "whole conversations or names"}</span>`}</span>${one.memory && one.memory.state !== "active" && html`<${State} state=${one.memory.state} />`}</li>`)}</ul>
    ${touched.length > SHOWN && html`<button class="inline" onClick=${() => show(!all)}>${all ? "Fewer" : `${number(touched.length - SHOWN)} more`}</button>`}`;
}

async function takeBack(entry) {
  const report = await act(() => (entry.run ? post(`/jobs/runs/${slot(entry.run)}/undo`) : post("/changes/take-back", { revision: entry.rev })));
  if (report) said(report.status === "ok" ? "Taken back" : "Could not be taken back", { detail: report.text });
}

function Change({ entry }) {
  const back = entry.touched.some((one) => !["erased", "purged", "undone"].includes(one.op));
  return html`<p class="line"><b class="grow">${CAME[entry.node] || words(entry.node)}${entry.actor && entry.actor !== entry.node && html` <span class="faint">by ${entry.actor}</span>`}</b>${back && html`<${Button} small tone="quiet" icon="undo" title="Take this change back" onClick=${() => takeBack(entry)} />`}</p><${Touched} touched=${entry.touched} />`;
}

function Run({ entry }) {
  return html`<p class="line"><b class="grow">Job ${words(entry.node)} ${entry.session && html`<span class="faint">${entry.session}</span>`}</b>${entry.run && html`<${Button} small tone="quiet" icon="undo" title="Take this run back" onClick=${() => takeBack(entry)} />`}</p>
    ${entry.touched.length ? html`<${Touched} touched=${entry.touched} />` : html`<p class="soft">${entry.quiet ? `${plural(entry.quiet, "link or name", "links and names")} put right.` : "Nothing to change."}</p>`}`;
}
