// One memory: what it says, where it is from, what became of it, what it is joined with; and everything that can be done to it.
import { html, useState, moment, day, share, plural, words, number } from "../core/ui.js";
import { Head, Card, Loaded, MemoryRow, State, Badge, Button, Tabs, Time, Diff, Empty, Icon, Field } from "../core/parts.js";
import { get, post, patch, del, act, useLoad, slot } from "../core/api.js";
import { go, link, requery } from "../core/router.js";
import { asked, confirmed, displayed } from "../core/dialogs.js";
import { said } from "../core/notices.js";
import { undoable } from "../core/undoing.js";

const AROUND = 6, MOST_LINKED = 24;
const QUIET = ["compared"];
const SHOWN = { derived_from: ["Learnt from", "Gave rise to"], supersedes: ["Replaced", "Replaced by"], merged_into: ["Became part of", "Made of"], related_to: ["Related", "Related"], outdated_by: ["May be outdated by", "May outdate"], covers: ["Says the same as", "Also said as"], contradicts: ["Contradicts", "Contradicted by"] };

async function everything(id, signal) {
  const at = `/memories/${slot(id)}`;
  const [memory, links, history, fate] = await Promise.all([get(at, {}, { signal }), get(`${at}/links`, {}, { signal }), get(`${at}/history`, {}, { signal }), get("/forgetting", { memory_id: id }, { signal }).catch(() => null)]);
  const about = links.filter((one) => !QUIET.includes(one.type) && one.type !== "mentions");
  const ids = [...new Set([...about.flatMap((one) => [one.from_id, one.to_id]), ...history.map((one) => one.memory_id)])].filter((one) => one !== id && !one.startsWith("ent_") && !one.startsWith("run_") && !one.startsWith("rev_")).slice(0, MOST_LINKED);
  const others = Object.fromEntries((await Promise.all(ids.map((one) => get(`/memories/${slot(one)}`, {}, { signal }).catch(() => null)))).filter(Boolean).map((one) => [one.id, one]));
  return { memory, links: about, history, others, fate: fate?.fates?.[0] };
}

export default function View({ args, query }) {
  const id = args[0] || "";
  const load = useLoad((signal) => everything(id, signal), [id]);
  if (!id) return html`<${Head} title="Memory" /><${Empty} icon="search" title="No memory is named" action=${html`<a class="button" href=${link("search")}>Search</a>`}>The address of a memory ends with its id.</>`;
  return html`<a class="crumb" href=${link("search")}><${Icon} name="back" size=${15} /> Search</a><${Loaded} of=${load} lines=${8}>${(data) => html`<${One} key=${id} ...${data} tab=${query.tab || "source"} />`}</>`;
}

function One({ memory, links, history, others, fate, tab }) {
  const newer = links.find((one) => one.type === "supersedes" && one.to_id === memory.id);
  return html`<header class="head"><div class="grow"><h1 class="saying" dir="auto" tabindex="-1">${memory.content || "(empty)"}</h1>
      <p class="facts"><${Badge}>${words(memory.kind === "episode" ? "message" : memory.kind)}</><${State} state=${memory.state} />${memory.pinned && html`<${Badge} tone="accent">pinned</>`}<${Time} at=${memory.event_time} />${memory.topic && html`<span>${memory.topic}</span>`}${memory.tags.map((one) => html`<a key=${one} href=${link("search", [], { tag: one })}>#${one}</a>`)}</p></div></header>
    ${newer && html`<p class="note"><${Icon} name="history" /> This was replaced by <a dir="auto" href=${link("memory", [newer.from_id])}>${others[newer.from_id]?.content || "a newer memory"}</a></p>`}
    <${Actions} memory=${memory} />
    <div class="aside-right"><div class="stack"><${Tabs} chosen=${tab} onChoose=${(next) => requery({ tab: next })} options=${[["source", "Where it comes from"], ["history", "History", history.filter((one) => !MINOR.includes(one.op)).length], ["links", "Links", links.length]]} />
      ${tab === "history" ? html`<${History} memory=${memory} history=${history} others=${others} />` : tab === "links" ? html`<${Links} memory=${memory} links=${links} others=${others} />` : html`<${Source} memory=${memory} links=${links} others=${others} />`}</div>
      <${About} memory=${memory} fate=${fate} /></div>`;
}

function Actions({ memory }) {
  const at = `/memories/${slot(memory.id)}`, here = () => go("memory", [memory.id]);
  const correct = async () => {
    const content = await asked({ title: "Correct this memory", text: "The old text stays in its history and is never recalled again.", value: memory.content, label: "What is true", action: "Correct" });
    if (!content || content === memory.content) return;
    const receipt = await act(() => post(`${at}/correct`, { content }));
    if (!receipt) return;
    undoable("Corrected", receipt, here);
    if (receipt.id && receipt.id !== memory.id) go("memory", [receipt.id]);
  };
  const simple = (text, path, body = {}) => async () => { const receipt = await act(() => post(`${at}/${path}`, body)); if (receipt) undoable(text, receipt); };
  const forget = async () => { const receipt = await act(() => del(at)); if (receipt) undoable("Forgotten. It is out of sight, not gone.", receipt); };
  const move = async () => {
    const project = await displayed({ title: "Move to a project", body: (close) => html`<${Move} project=${memory.project} close=${close} />` });
    if (project === null) return;
    const receipt = await act(() => post(`${at}/move`, { project }));
    if (receipt) undoable(project ? `Moved to ${project}` : "It is found from everywhere now", receipt);
  };
  const details = async () => {
    const changes = await displayed({ title: "Edit details", body: (close) => html`<${Details} memory=${memory} close=${close} />` });
    if (!changes) return;
    const receipt = await act(() => patch(at, changes));
    if (!receipt) return;
    undoable("Changed", receipt, here);
    if (receipt.id && receipt.id !== memory.id) go("memory", [receipt.id]);
  };
  const erase = async () => {
    if (!(await confirmed({ title: "Erase for good?", text: "Its text goes from every table, index and journal line. This cannot be undone. To only put it out of sight, use Forget.", action: "Erase", danger: true, type: "erase" }))) return;
    const receipt = await act(() => post("/erase", { memory_id: memory.id }));
    if (receipt) { said("Erased", { detail: `${plural(receipt.count, "memory", "memories")}; ${receipt.scrub === "scrubbed" ? "its bytes are overwritten" : "its bytes are overwritten by the next job"}. Revision ${receipt.rev}.` }); go("search"); }
  };
  const gone = memory.state === "deleted", stands = memory.state === "active", waits = memory.state === "proposed" || memory.state === "quarantined";
  return html`<div class="actions toolbar">
    ${stands && memory.kind === "block" && html`<a class="button primary" href=${link("blocks", [memory.key])}><${Icon} name="edit" /> Edit in Blocks</a>`}
    ${stands && !["episode", "block"].includes(memory.kind) && html`<${Button} icon="edit" tone="primary" onClick=${correct}>Correct</><${Button} icon="check" onClick=${simple("Confirmed: it is certain now", "confirm")}>Confirm</>
      <${Button} icon="pin" onClick=${simple(memory.pinned ? "Unpinned" : "Pinned", "pin", { pinned: !memory.pinned })}>${memory.pinned ? "Unpin" : "Pin"}</><${Button} icon="filter" onClick=${details}>Details</><${Button} icon="folder" onClick=${move}>Move</>`}
    ${waits && html`<a class="button primary" href=${link("inbox")}><${Icon} name="inbox" /> Answer in the inbox</a>`}
    ${stands && memory.kind !== "block" && html`<${Button} icon="eye" onClick=${forget}>Forget</>`}${gone && html`<${Button} icon="undo" tone="primary" onClick=${simple("Restored", "restore")}>Restore</>`}
    <${Button} icon="trash" tone="quiet" onClick=${erase}>Erase…</></div>`;
}

function Move({ project, close }) {
  const [typed, type] = useState(project);
  return html`<div class="stack"><${Field} label="Project" hint="Empty makes it global: it is found from every project."><input class="input" value=${typed} onInput=${(event) => type(event.target.value)} /></>
    <div class="dialog-actions"><button type="button" class="button" onClick=${() => close(null)}>Cancel</button>${project && html`<button type="button" class="button" onClick=${() => close("")}>Make global</button>`}<button type="button" class="button primary" onClick=${() => close(typed.trim())}>Move</button></div></div>`;
}

function Details({ memory, close }) {
  const [topic, setTopic] = useState(memory.topic), [tags, setTags] = useState(memory.tags.join(", ")), [importance, rate] = useState(memory.importance ?? 5);
  const save = () => {
    const made = {}, list = tags.split(",").map((one) => one.trim()).filter(Boolean);
    if (topic.trim() !== memory.topic) made.topic = topic.trim();
    if (list.join() !== memory.tags.join()) made.tags = list;
    if (Number(importance) !== memory.importance) made.importance = Number(importance);
    close(Object.keys(made).length ? made : null);
  };
  return html`<div class="stack"><${Field} label="Topic"><input class="input" value=${topic} onInput=${(event) => setTopic(event.target.value)} /></><${Field} label="Tags" hint="Separated by commas."><input class="input" value=${tags} onInput=${(event) => setTags(event.target.value)} /></>
    <${Field} label=${`Importance: ${importance} of 10`}><input type="range" min="1" max="10" value=${importance} onInput=${(event) => rate(event.target.value)} /></>
    <div class="dialog-actions"><button type="button" class="button" onClick=${() => close(null)}>Cancel</button><button type="button" class="button primary" onClick=${save}>Save</button></div></div>`;
}

// The words it was learnt from, marked, with what was said before and after.
function Source({ memory, links, others }) {
  const from = links.filter((one) => one.type === "derived_from" && one.from_id === memory.id).map((one) => others[one.to_id]).filter(Boolean);
  const turn = memory.kind === "episode" ? memory : from.find((one) => one.kind === "episode");
  const load = useLoad(async (signal) => {
    if (!turn?.session) return [];
    const where = { kinds: "episode", sessions: turn.session, limit: AROUND };
    const [before, after] = await Promise.all([get("/memories", { ...where, order: "recent", created_before: turn.created_at }, { signal }), get("/memories", { ...where, order: "oldest", created_after: turn.created_at }, { signal })]);
    return [...new Map([...before.reverse(), ...after].map((one) => [one.id, one])).values()];
  }, [turn?.id]);
  if (!turn) return html`<${Card}><p class="soft">${from.length ? "It was made of other memories; see Links." : `It was saved ${memory.source === "user" ? "by hand" : `by ${memory.actor || memory.agent || words(memory.source)}`}, not learnt from a conversation.`}</p><p class="faint">${moment(memory.created_at)}</p></>`;
  return html`<${Card} title="In its conversation" aside=${html`<a href=${link("sessions", [turn.session], { at: turn.id })}>Whole session</a>`}><${Loaded} of=${load} lines=${4}>${(turns) => html`<div class="talk">${turns.map((one) => html`<div key=${one.id} class=${`turn ${one.role}`}><span class="faint">${one.actor || one.role} · ${moment(one.event_time)}</span><div class=${`bubble ${one.role}`} dir="auto">${one.id === turn.id && memory.id !== turn.id ? html`<${Marked} text=${one.content} quote=${memory.attributes.quote || ""} />` : one.content}</div></div>`)}</div>`}</></>`;
}

function Marked({ text, quote }) {
  const at = quote ? text.indexOf(quote) : -1;
  return at < 0 ? html`<mark>${text}</mark>` : html`${text.slice(0, at)}<mark>${quote}</mark>${text.slice(at + quote.length)}`;
}

const DONE = { created: "Made", updated: "Changed", superseded: "Replaced", deleted: "Forgotten", restored: "Restored", pinned: "Pinned", unpinned: "Unpinned", confirmed: "Confirmed", linked: "Linked", unlinked: "Link cut", named: "Names read", merged: "Merged", tiered: "Moved to another tier", aged: "Moved to the long tier", accepted: "Accepted", rejected: "Rejected", undone: "Taken back", moved: "Moved", rated: "Importance set" };

const MINOR = ["linked", "unlinked", "named", "unnamed", "compared"];

function History({ memory, history, others }) {
  const of = (id) => (id === memory.id ? memory : others[id]);
  const [all, show] = useState(false);
  const told = [...history].reverse().filter((one) => all || !MINOR.includes(one.op));
  const minor = history.length - history.filter((one) => !MINOR.includes(one.op)).length;
  return html`<${Card}><ol class="history">${told.map((one) => {
    const now = of(one.memory_id), by = one.op === "superseded" && of(one.meta?.by);
    return html`<li key=${`${one.rev}-${one.seq}`}><div class="line"><b>${DONE[one.op] || words(one.op)}</b><span class="faint">${moment(one.at)} · ${one.actor || one.node}${one.session ? ` · ${one.session}` : ""}</span></div>
      ${by && now ? html`<${Diff} before=${now.content} after=${by.content} />` : one.op === "created" && now ? html`<p dir="auto" class="soft text">${now.content}</p>` : html`<${Changed} before=${one.before} />`}</li>`;
  })}</ol>${minor > 0 && html`<p class="more-lines"><button class="inline" onClick=${() => show(!all)}>${all ? "Show what matters" : `${plural(minor, "more line")}: links and names`}</button></p>`}</>`;
}

// The columns a change touched, with what they held before; text is told as a difference where both are known.
function Changed({ before }) {
  const rows = Object.entries(before || {}).filter(([name, value]) => !["attributes", "names", "typed", "linked", "left", "enriched_at"].includes(name) && (value === null || typeof value !== "object"));
  return rows.length ? html`<p class="faint">before: ${rows.map(([name, value]) => `${words(name)} ${value === null || value === "" ? "none" : String(value)}`).join(", ")}</p>` : null;
}

function Links({ memory, links, others }) {
  const groups = {};
  for (const one of links) {
    const out = one.from_id === memory.id, other = others[out ? one.to_id : one.from_id];
    if (other) (groups[(SHOWN[one.type] || [words(one.type), `${words(one.type)} (from)`])[out ? 0 : 1]] ||= []).push(other);
  }
  if (!Object.keys(groups).length) return html`<${Card}><p class="soft">It is joined with no other memory.</p></>`;
  return html`<div class="stack">${Object.entries(groups).map(([title, found]) => html`<${Card} key=${title} title=${title}><div class="rows">${[...new Map(found.map((one) => [one.id, one])).values()].map((one) => html`<${MemoryRow} key=${one.id} memory=${one} />`)}</div></>`)}</div>`;
}

function About({ memory, fate }) {
  const rows = [
    ["Tier", words(memory.tier)], ["Category", words(memory.category)], ["Importance", memory.importance ?? "–"], ["Confidence", fate ? share(fate.confidence_now) : share(memory.confidence)], ["Trust", share(memory.trust)], ["Source", words(memory.source)],
    ["Said by", memory.actor], ["Agent", memory.agent], ["Session", memory.session && html`<a href=${link("sessions", [memory.session])}>${memory.session}</a>`], ["Project", memory.project || "global"], ["Key", memory.key], ["Happened", moment(memory.event_time)], ["Learnt", moment(memory.created_at)],
    ["Valid until", memory.valid_until && moment(memory.valid_until)], ["Used", memory.access_count ? html`${plural(memory.access_count, "time")}, <${Time} at=${memory.last_accessed} />` : "never"], ["What will come", fate && (fate.goes_at ? `goes out of sight ${day(fate.goes_at)} if unused` : `stays: ${fate.kept}`)], ["Version", number(memory.version)],
  ];
  return html`<${Card} title="About it"><dl class="pairs">${rows.filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd dir="auto">${value}</dd>`)}<dt>Id</dt><dd class="mono">${memory.id}</dd></dl></>`;
}
