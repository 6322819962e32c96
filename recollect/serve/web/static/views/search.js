// Search: live, with filters; every hit shows why it was found, and "why not" explains what was not.
import { html, useState, useEffect, useRef, number, plural, words, share } from "../core/ui.js";
import { Head, Card, Loaded, MemoryRow, Newer, Bars, Empty, Button, Select, Field, Badge, Wait, Trouble } from "../core/parts.js";
import { get, outdated, post, useLoad, slot } from "../core/api.js";
import { requery, route, usePause } from "../core/router.js";

const PAUSE = 40, PAGE = 25, FIRST = 3;
const KINDS = ["", "fact", "event", "insight", "lesson", "procedure", "reflection", "summary", "passage", "document", "episode"];
const STATES = ["", "active", "proposed", "quarantined", "superseded", "merged", "deleted"];
const TIERS = ["", "core", "short", "long", "archive"];
const ORDERS = [["", "newest first"], ["importance", "most important"], ["updated", "changed last"], ["event", "by when it happened"], ["used", "used last"], ["oldest", "oldest first"]];
const NAMES = { words: "words", meaning: "meaning", names: "names", window: "neighbours", newer: "newer", importance: "importance", salience: "salience", recency: "recency", shape: "shape" };

// What the filters mean to the server.
function conditions(query) {
  const made = {};
  if (query.kind) made.kinds = [query.kind];
  if (query.state) made.states = [query.state];
  if (query.tier) made.tiers = [query.tier];
  if (query.topic) made.topic = query.topic;
  if (query.tag) made.tags = [query.tag];
  if (query.session) made.sessions = [query.session];
  if (query.project) made.projects = [query.project];
  if (query.after) made.event_after = `${query.after}T00:00:00Z`;
  if (query.before) made.event_before = `${query.before}T23:59:59Z`;
  if (query.pinned) made.pinned = true;
  return made;
}

async function found(query, many, signal) {
  const where = conditions(query);
  if (query.q?.trim()) return { of: query.q, hits: await post("/memories/search", { query: query.q, limit: many, preview: true, ...where }, { signal }) };
  const rows = await get("/memories", { limit: many, order: query.order || "recent", ...where }, { signal });
  const newer = await outdated(rows, signal);
  return { of: "", hits: rows.map((memory) => ({ memory, outdated_by: newer[memory.id] })) };
}

export default function Search({ query }) {
  const [typed, type] = useState(query.q || "");
  const [many, set] = useState(PAGE);
  const field = useRef();
  const change = (more) => { set(PAGE); requery({ ...route.value.query, ...more }); };
  useEffect(() => { if (query.q !== undefined && query.q !== typed) type(query.q); }, [query.q]);
  usePause(typed, PAUSE, () => typed !== (query.q || "") && change({ q: typed }));
  useEffect(() => { field.current?.focus(); }, []);
  const load = useLoad((signal) => found(query, many, signal), [JSON.stringify(query), many]);
  const shown = load.data ?? load.stale;
  return html`<${Head} title="Search" />
    <div class="search-field"><input class="input" type="search" data-find ref=${field} dir="auto" aria-label="Search memory" placeholder="Search by words, meaning, names or times…" value=${typed} onInput=${(event) => type(event.target.value)} /></div>
    <${Filters} query=${query} change=${change} />
    ${load.error ? html`<${Trouble} error=${load.error} again=${load.reload} />` : !shown ? html`<${Wait} />` : html`<${Hits} hits=${shown.hits} of=${shown.of} query=${query} many=${many} more=${() => set(many + PAGE)} />`}
    <${WhyNot} query=${query} />`;
}

function Filters({ query, change }) {
  const extra = ["tag", "session", "project", "after", "before"].some((one) => query[one]);
  const any = Object.entries(query).some(([name, value]) => name !== "q" && value);
  const choose = (name, options, label) => html`<${Select} label=${label} value=${query[name] || ""} options=${options.map((one) => (Array.isArray(one) ? one : [one, one ? words(one === "episode" ? "message" : one) : label]))} onChange=${(value) => change({ [name]: value })} />`;
  const write = (name, label, type = "text") => html`<${Field} label=${label}><input class="input" type=${type} value=${query[name] || ""} onChange=${(event) => change({ [name]: event.target.value.trim() })} /></>`;
  return html`<div class="filters">${choose("kind", KINDS, "any kind")}${choose("state", STATES, "what stands now")}${choose("tier", TIERS, "any tier")}${!query.q && choose("order", ORDERS, "order")}
    <input class="input topic" aria-label="Topic" placeholder="topic" value=${query.topic || ""} onChange=${(event) => change({ topic: event.target.value.trim() })} />
    <label class="line check"><input type="checkbox" checked=${Boolean(query.pinned)} onChange=${(event) => change({ pinned: event.target.checked ? "1" : "" })} /> pinned</label>
    ${any && html`<${Button} small tone="quiet" icon="close" onClick=${() => requery({ q: query.q })}>Clear</>`}
    <details class="more" open=${extra}><summary>More filters</summary><div class="grid fields">${write("after", "Happened from", "date")}${write("before", "Happened until", "date")}${write("tag", "Tag")}${write("session", "Session")}${write("project", "Project")}</div></details></div>`;
}

function Hits({ hits, of, query, many, more }) {
  if (!hits.length)
    return html`<${Card}><${Empty} icon="search" title=${query.q ? "Nothing was found" : "Nothing is here"}>${query.q ? "No memory shares words, names or meaning with this. Try fewer words, or take filters away; below you can ask why an expected memory is missing." : "No memory passes these filters."}</></>`;
  const most = Math.max(...hits.flatMap((hit) => Object.values(hit.why || {}).map((one) => Math.abs(one.boost))), 0.1);
  return html`<section aria-label="Results" class="stack" data-of=${of}><p class="faint" role="status">${query.q ? `${plural(hits.length, "memory", "memories")} found${hits.length === many ? ", and maybe more" : ""}` : `${plural(hits.length, "memory", "memories")}${hits.length === many ? ", and more" : ""}`}</p>
    <div class="rows hits">${hits.map((hit) => html`<${Hit} key=${hit.memory.id} hit=${hit} most=${most} />`)}</div>
    ${hits.length === many && many < 1000 && html`<div class="line centre"><${Button} onClick=${more}>Show more</></div>`}</section>`;
}

function Hit({ hit, most }) {
  return html`<div class="hit"><${MemoryRow} memory=${hit.memory}><${Newer} by=${hit.outdated_by} />${hit.folded?.length > 0 && html`<p class="faint">Also said ${plural(hit.folded.length, "more time")}.</p>`}</>
    ${hit.why && html`<${Why} why=${hit.why} score=${hit.score} most=${most} />`}</div>`;
}

const told = (name, one) => (name === "words" ? `${one.score.toFixed(1)} BM25` : name === "meaning" ? `${share(one.score)} near` : name === "names" ? plural(one.score, "name") : `${one.boost >= 0 ? "+" : ""}${one.boost.toFixed(2)}`);
const barred = (why) => Object.entries(why).filter(([, one]) => Math.abs(one.boost) >= 0.005).sort((a, b) => b[1].boost - a[1].boost).map(([name, one]) => ({ name: NAMES[name] || name, value: one.boost, note: told(name, one) }));

function Why({ why, score, most }) {
  const items = barred(why);
  const bars = (some) => html`<${Bars} label="Why it was found" items=${some} most=${most} />`;
  return html`<div class="why"><p class="faint">Why · score ${score.toFixed(2)}</p>${items.length ? bars(items.slice(0, FIRST)) : html`<p class="faint">no signal</p>`}
    ${items.length > FIRST && html`<details><summary>${items.length - FIRST} more</summary>${bars(items.slice(FIRST))}</details>`}</div>`;
}

// Why an expected memory was not found: chosen by its words, explained by the server.
function WhyNot({ query }) {
  const [open, set] = useState(false);
  const [typed, type] = useState("");
  const [chosen, choose] = useState(null);
  useEffect(() => choose(null), [query.q]);
  const near = useLoad((signal) => (open && typed.trim() ? post("/memories/search", { query: typed, limit: 5, preview: true, states: STATES.slice(1) }, { signal }) : Promise.resolve([])), [open, typed]);
  const reason = useLoad((signal) => (chosen && query.q ? post(`/memories/${slot(chosen)}/why`, { query: query.q, limit: 10, ...conditions(query) }, { signal }) : Promise.resolve(null)), [chosen, JSON.stringify(query)]);
  if (!query.q?.trim()) return null;
  if (!open) return html`<p class="line centre"><span class="soft">Not what you expected?</span><${Button} small icon="question" onClick=${() => set(true)}>Why not…</></p>`;
  return html`<${Card} title="Why was it not found?"><div class="stack"><${Field} label="Words of the memory you expected"><input class="input" dir="auto" autofocus value=${typed} onInput=${(event) => { type(event.target.value); choose(null); }} /></>
    ${!chosen && typed.trim() && html`<${Loaded} of=${near} lines=${2}>${(hits) => (hits.length ? html`<ul class="choices">${hits.map((hit) => html`<li key=${hit.memory.id}><button class="choice" dir="auto" onClick=${() => choose(hit.memory.id)}>${hit.memory.content}</button></li>`)}</ul>` : html`<p class="soft">No memory has these words: it was never kept, or it was erased.</p>`)}</>`}
    ${chosen && html`<${Loaded} of=${reason} lines=${3}>${(told) => told && html`<div class="stack tight"><p dir="auto"><b>${told.memory.content}</b></p><p class="line"><${Badge} tone=${told.returned ? "good" : "warn"}>${told.returned ? `found, place ${number(told.rank)}` : "not found"}</>${told.excluded_by.map((one) => html`<${Badge} key=${one} tone="bad">${words(one)}</>`)}</p><p>${told.text}</p><${Bars} label="Its signals" items=${barred(told.why)} /></div>`}</>`}</div></>`;
}
