// People and things: who and what memories are about, as a list, as pages and as a graph that grows by clicking.
import { html, useState, useEffect, useRef, number, plural, words } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Icon, MemoryRow, Select, Tabs, Walk, Wait, Trouble } from "../core/parts.js";
import { get, post, act, useLoad, slot } from "../core/api.js";
import { go, link, requery, route, usePause } from "../core/router.js";
import { asked, confirmed, displayed } from "../core/dialogs.js";
import { undoable } from "../core/undoing.js";
import { Graph, toneOf } from "../core/graph.js";

const PAGE = 50, AROUND = 30, MOST = 5000, PAUSE = 60;
const TYPES = [["", "people and things"], ["person", "people"], ["location", "places"], ["organization", "organizations and projects"], ["event", "events"], ["name", "names only"]];
const SIZES = [["60", "the best known 60"], ["300", "300"], ["1000", "1,000"], [String(MOST), "all, up to 5,000"]];
const page = (one) => link("people", [one.name], { type: one.type });

export default function People({ args, query }) {
  if (args[0] !== undefined) return html`<${One} key=${`${args[0]}.${query.type}`} name=${args[0]} type=${query.type || ""} around=${query.around} />`;
  const tab = query.tab || "list";
  return html`<${Head} title="People and things" lead="Who and what your memories are about, and what is mentioned together." />
    <${Tabs} chosen=${tab} onChoose=${(next) => requery({ tab: next === "list" ? "" : next })} options=${[["list", "List"], ["graph", "Graph"]]} />
    ${tab === "graph" ? html`<${Whole} query=${query} />` : html`<${List} query=${query} />`}`;
}

const nobody = html`<${Card}><${Empty} icon="people" title="Nobody is known yet">Names are found in what is said and remembered. Add a memory that names somebody, such as “Ana works with Jonas in Porto”.</></>`;

function List({ query }) {
  const [typed, type] = useState(query.part || ""), [many, more] = useState(PAGE);
  usePause(typed, PAUSE, () => typed !== (query.part || "") && (more(PAGE), requery({ ...route.value.query, part: typed })));
  const load = useLoad((signal) => get("/entities", { part: query.part, type: query.type, limit: many }, { signal }), [query.part, query.type, many]);
  const found = load.data ?? load.stale;
  const open = (event, one) => event.key === "Enter" && go("people", [one.name], { type: one.type });
  return html`<div class="line"><input class="input narrow" type="search" data-find dir="auto" aria-label="Find a name" placeholder="Find a name…" value=${typed} onInput=${(event) => type(event.target.value)} /><${Select} label="Type" value=${query.type || ""} options=${TYPES} onChange=${(next) => requery({ ...route.value.query, type: next })} /></div>
    ${load.error ? html`<${Trouble} error=${load.error} again=${load.reload} />` : !found ? html`<${Wait} />` : !found.length ? (query.part || query.type ? html`<${Card}><${Empty} icon="search" title="No such name">Nobody and nothing here is called that.</></>` : nobody)
    : html`<${Card}><${Walk} items=${found} keys=${open} label="People and things">${(one) => html`<${Row} one=${one} />`}</></>${found.length === many && many < 1000 && html`<div class="line centre"><${Button} onClick=${() => more(many + PAGE)}>Show more</></div>`}`}`;
}

function Row({ one }) {
  const also = one.aliases.filter((alias) => alias !== one.name.toLowerCase());
  return html`<article class="row"><div class="grow"><a class="row-text" dir="auto" href=${page(one)}>${one.name}</a><span class="facts"><${Type} type=${one.type} />${also.length > 0 && html`<span>also ${also.slice(0, 4).join(", ")}</span>`}</span></div><div class="row-aside">${plural(one.mentions, "mention")}</div></article>`;
}

const Type = ({ type }) => html`<span class="type"><i class="type-dot" data-tone=${toneOf(type).slice(2)}></i>${words(type === "name" ? "name" : type)}</span>`;

function Whole({ query }) {
  const many = query.size || "60";
  const [chosen, choose] = useState("");
  const around = query.around ? query.around.split(",") : [];
  const load = useLoad((signal) => get("/graph", around.length ? { around, limit: around.length + AROUND * around.length } : { limit: many }, { signal }), [query.around, many]);
  const grow = (id) => { choose(id); if (Number(many) <= 60 || around.length) requery({ ...route.value.query, around: [...new Set([...around, id])].join(",") }); };
  return html`<div class="line"><${Select} label="How many" value=${around.length ? "" : many} options=${[...(around.length ? [["", "around what you clicked"]] : []), ...SIZES]} onChange=${(size) => { choose(""); requery({ tab: "graph", size }); }} />${around.length > 0 && html`<${Button} small icon="close" onClick=${() => { choose(""); requery({ tab: "graph", size: query.size }); }}>Begin again</>`}</div>
    <${Drawn} load=${load} chosen=${chosen} onPick=${grow} />`;
}

function Drawn({ load, chosen, onPick }) {
  const shown = load.data ?? load.stale;
  if (load.error) return html`<${Trouble} error=${load.error} again=${load.reload} />`;
  if (!shown) return html`<${Wait} lines=${8} />`;
  if (!shown.nodes.length) return nobody;
  const joined = new Map(shown.edges.filter((one) => one.first === chosen || one.second === chosen).map((one) => [one.first === chosen ? one.second : one.first, one.together]));
  const listed = [...shown.nodes].sort((a, b) => (b.id === chosen) - (a.id === chosen) || (joined.get(b.id) || 0) - (joined.get(a.id) || 0) || b.mentions - a.mentions);
  return html`<div class="aside-right graph-view"><div class="stack tight"><${Graph} nodes=${shown.nodes} edges=${shown.edges} chosen=${chosen} onPick=${onPick} label=${`${plural(shown.nodes.length, "name")} and ${plural(shown.edges.length, "connection")}; the list beside it holds the same.`} />
      <p class="faint">${plural(shown.nodes.length, "name")}, ${plural(shown.edges.length, "connection")}${shown.hidden ? `; ${number(shown.hidden)} more around them are left out` : ""}. Click to grow, drag to move, Ctrl and wheel to zoom.</p></div>
    <${Card} title="In the graph"><ul class="in-graph">${listed.slice(0, 60).map((one) => html`<li key=${one.id}><button class="grow-button" aria-pressed=${one.id === chosen} title="Show what is around it" onClick=${() => onPick(one.id)}><i class="type-dot" data-tone=${toneOf(one.type).slice(2)}></i><span class="grow cut" dir="auto">${one.name}</span><span class="faint">${joined.get(one.id) || ""}</span></button><a class="plain" href=${page(one)} title="Open its page" aria-label=${`Open ${one.name}`}><${Icon} name="forward" size=${15} /></a></li>`)}</ul>${listed.length > 60 && html`<p class="faint">and ${number(listed.length - 60)} more</p>`}</></div>`;
}

function One({ name, type, around }) {
  const load = useLoad((signal) => get(`/entities/${slot(name)}`, { type, limit: 100 }, { signal }), [name, type]);
  return html`<a class="crumb" href=${link("people")}><${Icon} name="back" size=${14} /> People and things</a>
    ${load.error?.status === 404 ? html`<${Head} title=${name} /><${Card}><${Empty} icon="people" title="Nothing is known of that name" action=${html`<a class="button" href=${link("people")}>All people and things</a>`}>It was united with another, renamed, or all that named it is gone.</></>` : html`<${Loaded} of=${load} lines=${8}>${(profile) => html`<${Page} profile=${profile} around=${around} />`}</>`}`;
}

function Page({ profile, around }) {
  const { entity, memories, alike } = profile, at = `/entities/${slot(entity.name)}`;
  const rename = async () => {
    const to = await asked({ title: "Rename", label: "Shown as", value: entity.name, rows: 1, action: "Rename", hint: "It is still found by the old name." });
    if (!to || to.trim() === entity.name) return;
    const receipt = await act(() => post(`${at}/rename`, { to: to.trim(), type: entity.type }));
    if (receipt) { undoable("Renamed", receipt, () => go("people", [entity.name], { type: entity.type })); go("people", [to.trim()], { type: entity.type }); }
  };
  const unite = async (other) => {
    const into = other || (await displayed({ title: `Who or what is the same as ${entity.name}?`, body: (close) => html`<${Chooser} but=${entity.id} close=${close} />` }));
    if (!into || !(await confirmed({ title: "Make them one?", text: `“${entity.name}” and “${into.name}” become one, shown as “${into.name}”. All memories of both are its own. You can part them again.`, action: "Unite" }))) return;
    const receipt = await act(() => post(`${at}/unite`, { into: into.name, ...(into.type === entity.type ? { type: entity.type } : {}) }));
    if (receipt) {
      undoable("United", receipt, () => go("people", [entity.name], { type: entity.type }));
      // A bare name takes the type of what it is united with.
      go("people", [into.name], { type: into.type === "name" ? entity.type : into.type });
    }
  };
  const part = async () => {
    const alias = await asked({ title: "Part a name", text: "Name one of those that were united; it stands by itself again, with its own memories.", label: "Name", value: entity.aliases.find((one) => one !== entity.name.toLowerCase()) || "", rows: 1, action: "Part" });
    if (!alias) return;
    const receipt = await act(() => post(`/entities/${slot(alias.trim())}/part`));
    if (receipt) undoable("Two again", receipt);
  };
  const also = entity.aliases.filter((one) => one !== entity.name.toLowerCase());
  return html`<${Head} title=${html`<span dir="auto">${entity.name}</span>`}><${Button} icon="edit" onClick=${rename}>Rename</><${Button} icon="link" onClick=${() => unite()}>Unite…</>${also.length > 0 && html`<${Button} onClick=${part}>Part…</>`}<a class="button quiet" href=${link("bulk", [], { erase: entity.name })}>Erase…</a></>
    <p class="line"><${Type} type=${entity.type} /><span class="soft">${plural(entity.mentions, "mention")}</span>${also.map((one) => html`<${Badge} key=${one}>also ${one}</>`)}</p>
    ${entity.summary && html`<${Card} title="In short"><p class="text" dir="auto">${entity.summary}</p></>`}
    ${alike.length > 0 && html`<div class="note"><${Icon} name="question" /><div class="stack tight"><span>May be the same:</span>${alike.slice(0, 5).map((one) => html`<span key=${one.id} class="line"><a href=${page(one)}>${one.name}</a> <span>${plural(one.mentions, "mention")}</span><${Button} small onClick=${() => unite(one)}>Unite</></span>`)}</div></div>`}
    <${Neighbourhood} entity=${entity} around=${around} />
    <${Card} title=${`Memories (${number(memories.length)}${memories.length === 100 ? "+" : ""})`} aside=${html`<a href=${link("search", [], { q: entity.name })}>Search for it</a>`}>${memories.length ? html`<div class="rows">${memories.map((one) => html`<${MemoryRow} key=${one.id} memory=${one} />`)}</div>` : html`<p class="soft">No memory that stands names it.</p>`}</>`;
}

function Neighbourhood({ entity, around }) {
  const [chosen, choose] = useState(entity.id);
  const grown = [entity.id, ...(around ? around.split(",").filter((one) => one !== entity.id) : [])];
  const load = useLoad((signal) => get("/graph", { around: grown, limit: grown.length * AROUND }, { signal }), [grown.join()]);
  const grow = (id) => { choose(id); requery({ ...route.value.query, around: [...new Set([...grown.slice(1), id])].filter((one) => one !== entity.id).join(",") }); };
  if (load.data && load.data.nodes.length < 2) return html`<${Card}><p class="soft">It is mentioned together with nobody and nothing else yet.</p></>`;
  return html`<section aria-label="Neighbourhood"><${Drawn} load=${load} chosen=${chosen} onPick=${grow} /></section>`;
}

// Choose another entity by typing a part of its name.
function Chooser({ but, close }) {
  const [part, type] = useState("");
  const field = useRef();
  useEffect(() => { field.current?.focus(); }, []);
  const load = useLoad((signal) => get("/entities", { part, limit: 8 }, { signal }), [part]);
  const found = (load.data ?? load.stale ?? []).filter((one) => one.id !== but);
  return html`<div class="stack"><input class="input" ref=${field} dir="auto" aria-label="Part of the name" placeholder="Part of the name…" value=${part} onInput=${(event) => type(event.target.value)} />
    ${found.length ? html`<ul class="choices">${found.map((one) => html`<li key=${one.id}><button type="button" class="choice" onClick=${() => close(one)}><b dir="auto">${one.name}</b> <span class="faint">${words(one.type)}, ${plural(one.mentions, "mention")}</span></button></li>`)}</ul>` : html`<p class="soft">Nobody and nothing is called that.</p>`}
    <div class="dialog-actions"><button type="button" class="button" onClick=${() => close(null)}>Cancel</button></div></div>`;
}
