// Inbox: what waits for the owner's word, answered by keyboard: a accepts, r rejects, e amends.
import { html, since, plural } from "../core/ui.js";
import { Head, Card, Loaded, Walk, Empty, Button, Diff, Facts, Key, State } from "../core/parts.js";
import { get, post, act, useLoad, slot } from "../core/api.js";
import { link } from "../core/router.js";
import { asked } from "../core/dialogs.js";
import { undoable } from "../core/undoing.js";

async function waiting(signal) {
  const found = await get("/proposals", {}, { signal });
  const ids = [...new Set(found.flatMap((one) => one.replaces))].slice(0, 60);
  const others = Object.fromEntries((await Promise.all(ids.map((one) => get(`/memories/${slot(one)}`, {}, { signal }).catch(() => null)))).filter(Boolean).map((one) => [one.id, one]));
  return found.map((one) => ({ ...one, id: one.memory.id, stands: one.replaces.map((id) => others[id]).filter(Boolean) }));
}

const at = (one, verb) => `/proposals/${slot(one.id)}/${verb}`;
async function accept(one) { const receipt = await act(() => post(at(one, "accept"))); if (receipt) undoable("Accepted", receipt); }
async function reject(one) { const receipt = await act(() => post(at(one, "reject"))); if (receipt) undoable("Rejected", receipt); }
async function amend(one) {
  const content = await asked({ title: "Accept in your own words", value: one.memory.content, label: "What is true", action: "Accept" });
  if (!content) return;
  const receipt = await act(() => post(at(one, "amend"), { content }));
  if (receipt) undoable("Accepted in your words", receipt);
}
const KEYS = { a: accept, r: reject, e: amend };

export default function Inbox() {
  const load = useLoad(waiting, []);
  const press = (event, one) => { if (KEYS[event.key]) { event.preventDefault(); KEYS[event.key](one); } };
  return html`<${Head} title="Inbox" lead="What was noticed, but needs your word before it counts as true." />
    <${Loaded} of=${load}>${(found) => (found.length === 0 ? html`<${Card}><${Empty} icon="inbox" title="Nothing waits for you">Proposals come here when something would change what you said yourself, or lacks evidence. You need not do anything.</></>` : html`
      <p class="faint keys-line">${plural(found.length, "proposal")} · <${Key}>j</> <${Key}>k</> move · <${Key}>a</> accept · <${Key}>r</> reject · <${Key}>e</> amend</p>
      <${Walk} items=${found} keys=${press} label="Proposals">${(one) => html`<${Proposal} one=${one} />`}</>`)}</>`;
}

function Proposal({ one }) {
  return html`<article class="card proposal"><div class="stack tight"><div class="line"><${State} state=${one.memory.state} /><span class="soft grow">${one.reason}</span>${one.expires && html`<span class="faint">goes ${since(one.expires)}</span>`}</div>
    ${one.stands.length ? one.stands.map((old) => html`<div key=${old.id}><span class="faint">instead of <a href=${link("memory", [old.id])}>what stands now</a></span><${Diff} before=${old.content} after=${one.memory.content} /></div>`) : html`<p class="saying-small" dir="auto"><a class="ink" href=${link("memory", [one.id])}>${one.memory.content}</a></p>`}
    ${one.memory.attributes.quote && html`<blockquote dir="auto">${one.memory.attributes.quote}</blockquote>`}<${Facts} memory=${one.memory} />
    <div class="actions"><${Button} small tone="primary" icon="check" onClick=${() => accept(one)}>Accept</><${Button} small icon="edit" onClick=${() => amend(one)}>Amend</><${Button} small tone="quiet" icon="close" onClick=${() => reject(one)}>Reject</></div></div></article>`;
}
