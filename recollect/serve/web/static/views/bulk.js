// Bulk: choose many memories by a filter, see what would change, do it, take it back; and erase for good, with a receipt.
import { html, useState, useEffect, number, plural, words, moment } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Field, Select, MemoryRow, Tabs, Wait, Trouble, Icon } from "../core/parts.js";
import { get, post, act, useLoad, slot } from "../core/api.js";
import { requery, route, go, usePause } from "../core/router.js";
import { confirmed } from "../core/dialogs.js";
import { said } from "../core/notices.js";

const KINDS = ["", "fact", "event", "insight", "lesson", "procedure", "reflection", "summary", "passage", "document"];
const STATES = ["", "active", "proposed", "quarantined", "superseded", "deleted"];
const TIERS = ["", "short", "long", "archive"], LEVELS = Array.from({ length: 10 }, (_, at) => String(at + 1));
const CATEGORIES = ["profile", "goals", "preferences", "event", "activity", "relationships", "tasks", "projects", "knowledge", "interests", "history", "constraints", "general"];
const ACTIONS = [["forget", "Forget them"], ["pin", "Pin them"], ["unpin", "Unpin them"], ["category", "File them under"], ["tier", "Move them to tier"], ["importance", "Set importance to"]];
const VALUES = { category: CATEGORIES, tier: ["short", "long", "archive"], importance: LEVELS };
const WORDS = { forget: "will go out of sight", pin: "will be pinned", unpin: "will be unpinned", category: "will be filed anew", tier: "will move", importance: "will be rated anew" };
const RARE = ["tag", "actor", "session", "project", "after", "before", "least", "most", "pinned"];
const SAMPLE = 25, PAUSE = 200;

export default function Bulk({ query }) {
  const tab = query.erase !== undefined || query.tab === "erase" ? "erase" : "change";
  return html`<${Head} title="Bulk" lead="Change many memories at once, or erase somebody for good. You see the effect first." />
    <${Tabs} chosen=${tab} onChoose=${(next) => requery(next === "erase" ? { tab: "erase" } : {})} options=${[["change", "Change many"], ["erase", "Erase for good"]]} />
    ${tab === "erase" ? html`<${Erase} start=${query.erase || ""} />` : html`<${Change} query=${query} />`}`;
}

function conditions(query) {
  const made = {};
  for (const [name, key] of [["kind", "kinds"], ["state", "states"], ["tier", "tiers"], ["category", "categories"], ["tag", "tags"], ["session", "sessions"], ["project", "projects"]]) if (query[name]) made[key] = [query[name]];
  if (query.topic) made.topic = query.topic;
  if (query.actor) made.actor = query.actor;
  if (query.after) made.created_after = `${query.after}T00:00:00Z`;
  if (query.before) made.created_before = `${query.before}T23:59:59Z`;
  if (query.least) made.importance_min = Number(query.least);
  if (query.most) made.importance_max = Number(query.most);
  if (query.pinned) made.pinned = query.pinned === "yes";
  return made;
}

const asked = (action, value) => (VALUES[action] ? { action: "update", changes: { [action]: action === "importance" ? Number(value) : value } } : { action });

function Change({ query }) {
  const where = conditions(query), chosen = Object.keys(where).length > 0;
  const action = query.do || "forget", value = query.to || VALUES[action]?.[0] || "";
  const change = (more) => requery({ ...route.value.query, ...more });
  const load = useLoad(async (signal) => {
    if (!chosen) return null;
    const [report, rows] = await Promise.all([post("/memories/bulk", { ...asked(action, value), where, dry: true }, { signal }), get("/memories", { ...where, limit: 1000 }, { signal })]);
    const ids = new Set(report.steps.map((one) => one.split(" ").at(-1)));
    return { report, rows: rows.filter((one) => ids.has(one.id)), same: rows.filter((one) => !ids.has(one.id)).length };
  }, [JSON.stringify(query)]);
  const shown = chosen ? load.data ?? load.stale : null;
  const run = async () => {
    const many = shown.report.changed;
    if (many > 20 && !(await confirmed({ title: `${plural(many, "memory", "memories")}?`, text: `${number(many)} ${WORDS[action]}. This can be undone.`, action: "Do it" }))) return;
    const report = await act(() => post("/memories/bulk", { ...asked(action, value), where }));
    if (report) said(report.text, { undo: report.run ? () => undone(report.run) : undefined });
  };
  return html`<div class="aside-left bulk"><${Filters} query=${query} change=${change} />
    <div class="stack"><${Card} title="What to do"><div class="line"><${Select} label="What to do" value=${action} options=${ACTIONS} onChange=${(next) => change({ do: next, to: "" })} />${VALUES[action] && html`<${Select} label="To" value=${value} options=${VALUES[action]} onChange=${(to) => change({ to })} />`}
        <span class="grow"></span><${Button} tone=${action === "forget" ? "danger" : "primary"} disabled=${!shown?.report.changed} onClick=${run}>${shown?.report.changed ? `${ACTIONS.find(([key]) => key === action)[1].split(" ")[0]} ${number(shown.report.changed)}` : "Do it"}</></div></>
      ${!chosen ? html`<${Card}><${Empty} icon="filter" title="Choose some first">Set at least one filter. Nothing is changed until you say so, and everything done here can be undone.</></>` : load.error ? html`<${Card}><${Trouble} error=${load.error} again=${load.reload} /></>` : !shown ? html`<${Wait} />` : html`<${Effect} shown=${shown} action=${action} />`}</div></div>`;
}

function Effect({ shown, action }) {
  const { report, rows, same } = shown;
  if (!report.changed) return html`<${Card}><${Empty} icon="check" title="Nothing would change">${same ? `${plural(same, "memory", "memories")} pass the filter, and ${same === 1 ? "is" : "are"} so already.` : "No memory passes the filter."}</></>`;
  return html`<${Card} title=${`${plural(report.changed, "memory", "memories")} ${WORDS[action]}`} aside=${same > 0 && html`<span class="faint">${number(same)} more ${same === 1 ? "is" : "are"} so already</span>`}><div class="rows">${rows.slice(0, SAMPLE).map((one) => html`<${MemoryRow} key=${one.id} memory=${one} />`)}</div>${report.changed > SAMPLE && html`<p class="faint">and ${number(report.changed - Math.min(SAMPLE, rows.length))} more</p>`}</>`;
}

function Filters({ query, change }) {
  const choose = (name, options, label) => html`<${Field} label=${label}><${Select} label=${label} value=${query[name] || ""} options=${options.map((one) => (Array.isArray(one) ? one : [one, one ? words(one) : "any"]))} onChange=${(value) => change({ [name]: value })} /></>`;
  const write = (name, label, type = "text") => html`<${Written} key=${name} name=${name} label=${label} type=${type} query=${query} change=${change} />`;
  const any = Object.keys(conditions(query)).length > 0;
  return html`<${Card} title="Which memories" aside=${any && html`<${Button} small tone="quiet" onClick=${() => requery({ do: query.do, to: query.to })}>Clear</>`}><div class="stack filter-fields">${choose("kind", KINDS, "Kind")}${choose("state", [["", "what stands now"], ...STATES.slice(1).map((one) => [one, words(one)])], "State")}${choose("tier", TIERS, "Tier")}${choose("category", ["", ...CATEGORIES], "Category")}${write("topic", "Topic")}<details class="more" open=${RARE.some((one) => query[one])}><summary>More filters</summary><div class="stack filter-fields">${write("tag", "Tag")}${write("actor", "Said by")}${write("session", "Session")}${write("project", "Project")}${write("after", "Learnt from", "date")}${write("before", "Learnt until", "date")}${choose("least", ["", ...LEVELS], "Importance at least")}${choose("most", ["", ...LEVELS], "Importance at most")}${choose("pinned", [["", "either"], ["yes", "pinned"], ["no", "not pinned"]], "Pinned")}</div></details></div></>`;
}

function Written({ name, label, type, query, change }) {
  const [text, set] = useState(query[name] || "");
  useEffect(() => { set(query[name] || ""); }, [query[name]]);
  usePause(text, PAUSE, () => text.trim() !== (query[name] || "") && change({ [name]: text.trim() }));
  return html`<${Field} label=${label}><input class="input" type=${type} dir="auto" value=${text} onInput=${(event) => set(event.target.value)} /></>`;
}

async function undone(run) {
  const report = await act(() => post(`/jobs/runs/${slot(run)}/undo`));
  if (report) said("Taken back", { detail: report.text });
}

const WHAT = [["entity", "somebody or something", "Name"], ["session", "a session", "Session"], ["memory_id", "one memory", "Id of the memory"], ["everything", "everything of this person", ""]];

function Erase({ start }) {
  const [what, choose] = useState("entity"), [name, type] = useState(start), [would, see] = useState(null), [receipt, keep] = useState(null);
  useEffect(() => { see(null); }, [what, name]);
  const given = what === "everything" ? { everything: true } : { [what]: name.trim() };
  const label = WHAT.find(([key]) => key === what)[2], named = what === "everything" ? route.value.user : name.trim();
  const look = async () => { const found = await act(() => post("/erase/preview", given)); if (found) see(found); };
  const erase = async () => {
    if (!(await confirmed({ title: "Erase for good?", text: `${plural(would.changed, "memory", "memories")} and every trace of their text go: rows, index, history, files. This cannot be undone.`, action: "Erase for good", danger: true, type: named }))) return;
    const made = await act(() => post("/erase", given));
    if (made) keep({ ...made, what, name: named, at: new Date().toISOString(), left: await left(what, named) });
  };
  if (receipt) return html`<${Proof} receipt=${receipt} again=${() => { keep(null); see(null); type(""); requery({ tab: "erase" }); }} />`;
  return html`<div class="stack"><${Card} title="What shall be erased"><div class="stack"><p class="soft">For a person's demand to be forgotten. Unlike forgetting, nothing can bring it back.</p><form class="line end" onSubmit=${(event) => { event.preventDefault(); look(); }}><${Field} label="Erase"><${Select} label="Erase" value=${what} options=${WHAT.map(([key, text]) => [key, text])} onChange=${choose} /></>${label && html`<${Field} label=${label}><input class="input narrow" dir="auto" value=${name} onInput=${(event) => type(event.target.value)} /></>`}<button class="button" disabled=${Boolean(label) && !name.trim()}>See what would go</button></form></div></>
    ${would ? html`<${Card} title=${`${plural(would.changed, "memory", "memories")} would go for good`}><div class="stack"><dl class="pairs">${Object.entries(would.numbers).filter(([, many]) => many).map(([kind, many]) => html`<dt key=${kind}>${words(kind === "episode" ? "messages" : kind)}</dt><dd>${number(many)}</dd>`)}</dl><${Going} steps=${would.steps} /><div class="actions"><${Button} tone="danger" icon="trash" onClick=${erase}>Erase for good…</></div></div></>` : html`<${Card}><${Empty} icon="trash" title="See first what would go">All that names it, all that was derived from that, and every trace in files and history.</></>`}</div>`;
}

function Going({ steps }) {
  const ids = steps.map((one) => one.split(" ").at(-1));
  const load = useLoad((signal) => Promise.all(ids.slice(0, 12).map((id) => get(`/memories/${slot(id)}`, {}, { signal }).catch(() => null))), [ids.join()]);
  return html`<${Loaded} of=${load} lines=${3}>${(found) => html`<div class="rows">${found.filter(Boolean).map((one) => html`<${MemoryRow} key=${one.id} memory=${one} />`)}</div>${ids.length > 12 && html`<p class="faint">and ${number(ids.length - 12)} more</p>`}`}</>`;
}

// Look again for what was erased, so that the receipt can say what was found.
async function left(what, name) {
  if (what === "entity") return get(`/entities/${slot(name)}`).then((found) => found.memories.length, () => 0);
  if (what === "session") return get("/conversation", { session: name }).then((found) => found.length, () => 0);
  if (what === "memory_id") return get(`/memories/${slot(name)}`).then(() => 1, () => 0);
  return get("/stats").then((found) => Object.values(found.kinds).reduce((sum, one) => sum + one, 0), () => 0);
}

function Proof({ receipt, again }) {
  const done = receipt.scrub === "scrubbed";
  const kept = JSON.stringify({ what: receipt.what, erased: receipt.count, revision: receipt.rev, scrub: receipt.scrub, at: receipt.at, found_again: receipt.left }, null, 2);
  const save = () => { const to = document.createElement("a"); to.href = URL.createObjectURL(new Blob([kept], { type: "application/json" })); to.download = `erased-${receipt.at.slice(0, 10)}.json`; to.click(); URL.revokeObjectURL(to.href); };
  return html`<${Card} class="proof"><div class="stack"><p class="line"><span class="empty-icon good"><${Icon} name="check" size=${24} /></span><b class="proof-title">${plural(receipt.count, "memory is", "memories are")} erased</b></p>
    <dl class="pairs"><dt>What</dt><dd dir="auto">${receipt.name}</dd><dt>When</dt><dd>${moment(receipt.at)}</dd><dt>Memories erased</dt><dd>${number(receipt.count)}</dd><dt>Files</dt><dd>${done ? "scrubbed: no text is left in them" : "to be scrubbed as soon as no reader holds them"}</dd><dt>Looked for again</dt><dd>${receipt.left ? `${number(receipt.left)} found` : "nothing found"}</dd><dt>Revision</dt><dd>${receipt.rev ? number(receipt.rev) : "none: even the history is gone"}</dd></dl>
    <p class="faint">The receipt holds no text of what was erased.</p><div class="actions"><${Button} icon="down" onClick=${save}>Save the receipt</><${Button} onClick=${again}>Erase something else</><${Button} tone="quiet" onClick=${() => go("overview")}>To the overview</></div></div></>`;
}
