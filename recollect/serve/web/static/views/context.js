// Context preview: what exactly would be injected for a prompt, section by section; and what was, in past turns.
import { html, useState, number, plural, words, share, since } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Field, Select, Tabs, MemoryRow, Time } from "../core/parts.js";
import { get, post, root, useLoad, slot } from "../core/api.js";
import { link, requery, route, usePause } from "../core/router.js";

const BUDGETS = [300, 600, 1200, 2400, 4800];
const TITLES = { blocks: "Blocks", core: "Core blocks", always: "About the user", last: "Last conversation", relevant: "About this", said: "Said earlier", waiting: "To ask the user", delta: "What changed", lessons: "Lessons", insight: "Weekly insight" };
const title = (name) => TITLES[name] || words(name);

export default function Preview({ query }) {
  const tab = query.tab || "preview";
  return html`<${Head} title="Context preview" lead="See exactly what an agent would be given for a prompt, and what it was given before. Looking changes nothing." />
    <${Tabs} chosen=${tab} onChoose=${(next) => requery({ ...route.value.query, tab: next })} options=${[["preview", "Try a prompt"], ["past", "Past turns"]]} />
    ${tab === "past" ? html`<${Past} query=${query} />` : html`<${Try} query=${query} />`}`;
}

function Try({ query }) {
  const [prompt, type] = useState(query.prompt || "");
  const budget = Number(query.budget) || 1200;
  const change = (more) => requery({ ...route.value.query, ...more });
  const profiles = useLoad(() => root.get("/v1/profiles"), []);
  const sessions = useLoad((signal) => get("/sessions", {}, { signal }), []);
  usePause(prompt, 250, () => prompt !== (query.prompt || "") && change({ prompt }));
  const load = useLoad((signal) => post("/context", { prompt: query.prompt || "", budget_tokens: budget, preview: true, ...(query.profile ? { profile: query.profile } : {}), ...(query.model ? { model: query.model } : {}) }, { signal, as: { session: query.session } }), [JSON.stringify(query)]);
  return html`<div class="aside-right context"><div class="stack"><${Field} label="Prompt"><textarea class="input" dir="auto" rows="3" placeholder="What would the user ask?" value=${prompt} onInput=${(event) => type(event.target.value)}></textarea></>
      <${Loaded} of=${load.data === undefined && load.stale ? { ...load, data: load.stale } : load}>${(made) => html`<${Made} made=${made} budget=${budget} />`}</></div>
    <${Card} title="Asked how"><div class="stack"><${Field} label=${`Budget: ${number(budget)} tokens`}><input type="range" min="0" max=${BUDGETS.length - 1} value=${Math.max(BUDGETS.indexOf(budget), 0)} onInput=${(event) => change({ budget: BUDGETS[event.target.value] })} /></>
      <${Field} label="Profile"><${Select} label="Profile" value=${query.profile || ""} onChange=${(profile) => change({ profile })} options=${[["", `as set${profiles.data ? ` (${profiles.data[0]})` : ""}`], ...(profiles.data || []).map((one) => [one, one])]} /></>
      <${Field} label="Model" hint="Counts tokens as this model does."><input class="input" placeholder="any" value=${query.model || ""} onChange=${(event) => change({ model: event.target.value.trim() })} /></>
      <${Field} label="In session"><${Select} label="In session" value=${query.session || ""} onChange=${(session) => change({ session })} options=${[["", "a new one"], ...(sessions.data || []).slice(0, 50).map((one) => [one.id, `${one.id} · ${since(one.last_seen)}`])]} /></></div></></div>`;
}

function Made({ made, budget }) {
  const [exact, show] = useState(false);
  const left = useLoad((signal) => several(made.left_out, signal), [made.left_out.join()]);
  const parts = [...(made.stable ? [{ name: "blocks", text: made.stable, ids: [], tokens: Math.max(made.tokens - made.sections.reduce((sum, one) => sum + one.tokens, 0), 0) }] : []), ...made.sections];
  if (!parts.length) return html`<${Card}><${Empty} icon="context" title="Nothing would be injected">${made.problems.length ? made.problems.join(" ") : "Nothing is known that belongs to this prompt, or memory is switched off for this session."}</></>`;
  return html`<section class="stack" aria-label="What would be injected"><div class="line"><b>${number(made.tokens)} of ${number(budget)} tokens</b><span class="soft grow">${plural(made.ids.length, "memory", "memories")} in ${plural(parts.length, "section")}</span><${Button} small onClick=${() => show(!exact)}>${exact ? "By section" : "Exact text"}</></div>
    <div class="stripe" role="img" aria-label=${parts.map((one) => `${title(one.name)} ${one.tokens} tokens`).join(", ")}>${parts.map((one, at) => html`<span key=${one.name} class=${`stripe-${at % 4}`} title=${`${title(one.name)}: ${one.tokens} tokens`} style=${{ flexGrow: one.tokens || 1 }}></span>`)}<span class="stripe-rest" style=${{ flexGrow: Math.max(budget - made.tokens, 0) }}></span></div>
    ${made.problems.map((one) => html`<p key=${one} class="trouble">${one}</p>`)}
    ${exact ? html`<${Card}><pre dir="auto">${[made.stable, made.volatile].filter(Boolean).join("\n\n")}</pre></>` : parts.map((one) => html`<${Section} key=${one.name} part=${one} share=${one.tokens / Math.max(made.tokens, 1)} />`)}
    ${made.left_out.length > 0 && html`<${Card} title=${`Left out: over the budget (${made.left_out.length})`}><${Loaded} of=${left} lines=${2}>${(found) => html`<div class="rows">${found.map((one) => (one.content === undefined ? html`<p key=${one.id} class="soft">${words(one.id)}</p>` : html`<${MemoryRow} key=${one.id} memory=${one} />`))}</div>`}</></>`}</section>`;
}

function Section({ part, share: of }) {
  const lines = part.text.split("\n").filter((line) => line && !line.startsWith("## "));
  const matched = lines.length === part.ids.length;
  return html`<${Card} title=${title(part.name)} aside=${html`<span class="faint">${number(part.tokens)} tokens · ${share(of)}</span>`}><ul class="injected">${lines.map((line, at) => html`<li key=${at} dir="auto">${matched ? html`<a class="ink" href=${link("memory", [part.ids[at]])}>${line.replace(/^- /, "")}</a>` : line.replace(/^- /, "")}</li>`)}</ul></>`;
}

const several = (ids, signal) => Promise.all(ids.slice(0, 40).map((id) => (/^[a-z]+_/.test(id) ? get(`/memories/${slot(id)}`, {}, { signal }).catch(() => ({ id })) : { id })));

function Past({ query }) {
  const sessions = useLoad((signal) => get("/sessions", {}, { signal }), []);
  const chosen = query.session || sessions.data?.[0]?.id || "";
  const load = useLoad((signal) => (chosen ? get("/window/shown", { limit: 50 }, { signal, as: { session: chosen } }) : Promise.resolve([])), [chosen]);
  return html`<${Loaded} of=${sessions}>${(known) => (known.length === 0 ? html`<${Card}><${Empty} icon="context" title="No session yet">What was injected is told by session, once an agent has asked for a context.</></>` : html`<div class="stack"><${Field} label="Session"><${Select} label="Session" value=${chosen} onChange=${(session) => requery({ ...route.value.query, session })} options=${known.slice(0, 200).map((one) => [one.id, `${one.id} · ${plural(one.messages, "message")} · ${since(one.last_seen)}`])} /></>
    <${Loaded} of=${load}>${(found) => (found.length ? found.map((one) => html`<${Turn} key=${one.at} turn=${one} />`) : html`<${Card}><${Empty} icon="context" title="Nothing was injected in this session">No context was asked for in it.</></>`)}</></div>`)}</>`;
}

function Turn({ turn }) {
  const [open, set] = useState(false);
  const load = useLoad((signal) => (open ? several(turn.ids, signal) : Promise.resolve([])), [open]);
  return html`<${Card} title=${html`<${Time} at=${turn.at} />`} aside=${html`<span class="line"><${Badge}>${turn.profile}</><span class="faint">${number(turn.tokens)} tokens · ${plural(turn.ids.length, "memory", "memories")}</span><${Button} small onClick=${() => set(!open)}>${open ? "Hide" : "Show"}</></span>`}>
    ${open ? html`<${Loaded} of=${load}>${(found) => html`<div class="rows">${found.map((one) => (one.content === undefined ? html`<p key=${one.id} class="soft">${one.id} is gone by now.</p>` : html`<${MemoryRow} key=${one.id} memory=${one} />`))}</div>`}</>` : null}</>`;
}
