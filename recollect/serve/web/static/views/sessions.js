// Sessions: conversations as they were held; the words something was learnt from are marked, and lead to it.
import { html, useState, useEffect, number, plural, moment, day } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, State, Time, Icon, Walk } from "../core/parts.js";
import { get, post, act, useLoad } from "../core/api.js";
import { go, link } from "../core/router.js";
import { confirmed } from "../core/dialogs.js";
import { said } from "../core/notices.js";

const PAGE = 200, SHOWN = 50;

export default function Sessions({ args, query }) {
  return args[0] === undefined ? html`<${List} />` : html`<${One} key=${args[0]} session=${args[0]} at=${query.at} />`;
}

function List() {
  const [part, type] = useState(""), [many, more] = useState(SHOWN);
  const load = useLoad((signal) => get("/sessions", {}, { signal }), []);
  return html`<${Head} title="Sessions" lead="Every conversation, and how far it became knowledge." />
    <${Loaded} of=${load}>${(all) => {
      if (!all.length) return html`<${Card}><${Empty} icon="sessions" title="No conversation yet">Agents keep what is said with <code>space.observe(role, text)</code>, over MCP or with <code>recollect observe</code>. Each conversation then stands here.</></>`;
      const found = all.filter((one) => `${one.id} ${one.agent}`.toLowerCase().includes(part.trim().toLowerCase()));
      const open = (event, one) => event.key === "Enter" && go("sessions", [one.id]);
      return html`<div class="line"><input class="input narrow" type="search" data-find aria-label="Filter sessions" placeholder="Filter by name or agent…" value=${part} onInput=${(event) => { type(event.target.value); more(SHOWN); }} /><span class="faint" role="status">${plural(found.length, "session")}</span></div>
        ${found.length ? html`<${Card}><${Walk} items=${found.slice(0, many)} keys=${open} label="Sessions">${(one) => html`<${Row} one=${one} />`}</></>` : html`<${Card}><${Empty} icon="search" title="No session has that name">Try a part of its name, or the agent's.</></>`}
        ${found.length > many && html`<div class="line centre"><${Button} onClick=${() => more(many + SHOWN)}>Show more</></div>`}`;
    }}</>`;
}

function Row({ one }) {
  const open = one.messages - one.consolidated;
  return html`<article class="row"><div class="grow"><a class="row-text" dir="auto" href=${link("sessions", [one.id])}>${one.id}</a><span class="facts">${one.agent && html`<span>${one.agent}</span>`}<span>${plural(one.messages, "message")}</span><${Time} at=${one.last_seen} /></span></div>
    <div class="row-aside">${open ? html`<${Badge} tone="accent">${number(open)} not yet read</>` : html`<${Badge} tone="good">worked through</>`}</div></article>`;
}

async function turns(session, signal) {
  const found = [];
  for (let after = 0; ; after = found.at(-1).number) {
    const page = await get("/conversation", { session, after, limit: PAGE }, { signal });
    found.push(...page);
    if (page.length < PAGE || found.length >= 5 * PAGE) return { turns: found, more: page.length === PAGE };
  }
}

function One({ session, at }) {
  const load = useLoad((signal) => turns(session, signal), [session]);
  useEffect(() => { if (load.data) document.getElementById(at ? `turn-${at}` : "")?.scrollIntoView({ block: "center" }); }, [Boolean(load.data), at]);
  const end = async () => {
    const report = await act(() => post("/session/end", {}, { as: { session } }));
    if (report) said(report.status === "ok" ? "Worked through" : "Nothing was done", { detail: report.text, undo: report.run ? () => undo(report.run) : undefined });
  };
  const erase = async () => {
    const would = await act(() => post("/erase/preview", { session }));
    if (!would || !(await confirmed({ title: "Erase this session for good?", text: `${plural(would.changed, "memory", "memories")} go: its messages, and everything that was learnt from them. No text is left in the files. This cannot be undone.`, action: "Erase", danger: true, type: "erase" }))) return;
    const receipt = await act(() => post("/erase", { session }));
    if (receipt) { said(`${plural(receipt.count, "memory", "memories")} erased`, { detail: receipt.scrub === "scrubbed" ? "The files hold no text of them any more." : "The files are scrubbed as soon as no reader holds them." }); go("sessions"); }
  };
  return html`<a class="crumb" href=${link("sessions")}><${Icon} name="back" size=${14} /> Sessions</a>
    <${Head} title=${html`<span dir="auto">${session || "In no session"}</span>`}><${Button} icon="spark" onClick=${end}>Learn from it now</><${Button} tone="quiet" icon="trash" onClick=${erase}>Erase…</></>
    <${Loaded} of=${load} lines=${8}>${(data) => (data.turns.length ? html`<${Talk} data=${data} at=${at} />` : html`<${Card}><${Empty} icon="sessions" title="Nothing was said in it" action=${html`<a class="button" href=${link("sessions")}>All sessions</a>`}>It was erased, or there never was a session of this name.</></>`)}</>`;
}

async function undo(run) {
  const report = await act(() => post(`/jobs/runs/${encodeURIComponent(run)}/undo`));
  if (report) said("Taken back", { detail: report.text });
}

function Talk({ data, at }) {
  const every = new Map(data.turns.flatMap((one) => one.learnt).map((one) => [one.id, one])), summaries = [...every.values()].filter(isSummary);
  const learnt = [...every.values()].filter((one) => !isSummary(one)), standing = learnt.filter((one) => one.state === "active").length;
  const first = data.turns[0].message, last = data.turns.at(-1).message;
  return html`<p class="soft">${plural(data.turns.length, "message")}${data.more ? " and more" : ""}, ${first.event_time.slice(0, 10) === last.event_time.slice(0, 10) ? moment(first.event_time) : `${day(first.event_time)} – ${day(last.event_time)}`}. ${learnt.length ? html`<mark class="key">Marked words</mark> became ${plural(learnt.length, "memory", "memories")}${standing < learnt.length ? `, ${number(standing)} of them ${standing === 1 ? "stands" : "stand"} today` : ""}.` : "Nothing was learnt from it yet."}</p>
    ${summaries.length > 0 && html`<${Card} title="In short">${summaries.slice(-2).map((one) => html`<p key=${one.id} class="text" dir="auto"><a class="ink" href=${link("memory", [one.id])}>${one.content}</a></p>`)}</>`}
    <ol class="conversation">${data.turns.map((one) => html`<${Line} key=${one.message.id} turn=${one} here=${one.message.id === at} />`)}</ol>`;
}

// A summary is about the whole, and stands above it once.
const isSummary = (one) => one.kind === "summary";
const quoted = (one) => one.attributes?.quote || one.content;
const found = (text, one) => (quoted(one) ? text.indexOf(quoted(one)) : -1);

// The places of a message's text that something was learnt from: [start, end, which memories], apart and in order.
function places(text, learnt) {
  const marked = [];
  learnt.forEach((one, number) => {
    const at = found(text, one);
    if (at >= 0) marked.push([at, at + quoted(one).length, [number]]);
  });
  marked.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const made = [];
  for (const [from, to, of] of marked) {
    const last = made.at(-1);
    if (last && from < last[1]) { last[1] = Math.max(last[1], to); last[2].push(...of); } else made.push([from, to, [...of]]);
  }
  return made;
}

function Line({ turn, here }) {
  const { message } = turn, parts = [];
  const learnt = turn.learnt.filter((one) => !isSummary(one)).sort((a, b) => found(message.content, a) - found(message.content, b)), marks = places(message.content, learnt);
  let done = 0;
  for (const [from, to, of] of marks) {
    parts.push(message.content.slice(done, from), html`<mark key=${from}>${message.content.slice(from, to)}${of.map((one) => html`<a key=${one} class="learnt-number" href=${link("memory", [learnt[one].id])} title=${learnt[one].content} aria-label=${`Learnt: ${learnt[one].content}`}>${one + 1}</a>`)}</mark>`);
    done = to;
  }
  parts.push(message.content.slice(done));
  return html`<li id=${`turn-${message.id}`} class=${`exchange ${message.role}${here ? " here" : ""}`}><div class=${`turn ${message.role}`}><span class="faint">${message.actor || message.role} · <a class="quiet" href=${link("memory", [message.id])}><${Time} at=${message.event_time} /></a></span><div class=${`bubble ${message.role}`} dir="auto">${parts}</div></div>
    ${learnt.length > 0 && html`<ol class="learnt" aria-label="Learnt from this message">${learnt.map((one, number) => html`<li key=${one.id}><span class="learnt-number" aria-hidden="true">${number + 1}</span><a class="ink" dir="auto" href=${link("memory", [one.id])}>${one.content}</a>${one.state !== "active" && html`<${State} state=${one.state} />`}</li>`)}</ol>`}</li>`;
}
