// Blocks: texts that always stand in the prompt; edited here, with every version kept and its differences shown.
import { html, useState, useEffect, number } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Diff, Field, Time } from "../core/parts.js";
import { get, post, put, patch, del, act, useLoad, slot } from "../core/api.js";
import { go, link } from "../core/router.js";
import { asked, confirmed } from "../core/dialogs.js";
import { undoable } from "../core/undoing.js";

async function made() {
  const label = await asked({ title: "New block", label: "Label", rows: 1, action: "Create", hint: "One word, such as project." });
  if (!label) return;
  const receipt = await act(() => post("/blocks", { label: label.trim(), value: "" }));
  if (receipt) { undoable("Created", receipt, () => go("blocks")); go("blocks", [label.trim()]); }
}

export default function Blocks({ args }) {
  const load = useLoad((signal) => get("/blocks", {}, { signal }), []);
  return html`<${Head} title="Blocks" lead="Short texts an agent always has in its prompt: who it is, who you are, what you work on."><${Button} icon="plus" onClick=${made}>New block</></>
    <${Loaded} of=${load}>${(found) => {
      if (!found.length) return html`<${Card}><${Empty} icon="blocks" title="There are no blocks" action=${html`<${Button} tone="primary" onClick=${made}>New block</>`}>A block stands in every prompt, whatever is asked.</></>`;
      const chosen = found.find((one) => one.label === args[0]) || found[0];
      return html`<div class="aside-left"><nav class="list" aria-label="Blocks">${found.map((one) => html`<a key=${one.label} class="list-link" href=${link("blocks", [one.label])} aria-current=${one === chosen ? "true" : undefined}><b class="cut">${one.label}</b><span class="faint cut">${one.value ? `${number(one.value.length)} characters` : "empty"}${one.own ? " · agent's own" : ""}</span></a>`)}</nav><${Editor} key=${`${chosen.label}.${chosen.hash}`} block=${chosen} /></div>`;
    }}</>`;
}

function Editor({ block }) {
  const [text, type] = useState(block.value);
  const at = `/blocks/${slot(block.label)}`, changed = text !== block.value, long = text.length > block.limit;
  useEffect(() => {
    if (!changed) return;
    const stay = (event) => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [changed]);
  const save = async () => { const receipt = await act(() => put(at, { value: text, ...(block.version ? { if_hash: block.hash } : {}) })); if (receipt) undoable("Saved", receipt); };
  const lock = async () => { const receipt = await act(() => patch(at, { read_only: !block.read_only })); if (receipt) undoable(block.read_only ? "Agents may edit it" : "Nobody may edit it until it is unlocked", receipt); };
  const describe = async () => { const description = await asked({ title: "Description", value: block.description, label: "What the block is for; agents read this", rows: 3 }); if (description) { const receipt = await act(() => patch(at, { description })); if (receipt) undoable("Changed", receipt); } };
  const rename = async () => { const to = await asked({ title: "Rename block", value: block.label, label: "Label", rows: 1, action: "Rename" }); if (to && to.trim() !== block.label) { const receipt = await act(() => post(`${at}/rename`, { to: to.trim() })); if (receipt) { undoable("Renamed", receipt, () => go("blocks", [block.label])); go("blocks", [to.trim()]); } } };
  const remove = async () => { if (await confirmed({ title: `Delete ${block.label}?`, text: "It leaves the prompt. Its versions are kept, and this can be undone.", action: "Delete", danger: true })) { const receipt = await act(() => del(at)); if (receipt) { undoable("Deleted", receipt); go("blocks"); } } };
  return html`<div class="stack"><${Card} title=${block.label} aside=${html`<span class="line">${block.read_only && html`<${Badge} tone="warn">read only</>`}<${Badge}>${block.version ? `version ${block.version}` : "default"}</></span>`}>
      <div class="stack"><p class="soft">${block.description || "No description."} ${block.version > 0 && html`<button class="inline" onClick=${describe}>Edit</button>`}</p>
      <${Field} label="Text"><textarea class="input block-text" dir="auto" rows="10" readonly=${block.read_only} value=${text} onInput=${(event) => type(event.target.value)} onKeyDown=${(event) => event.key === "s" && (event.ctrlKey || event.metaKey) && (event.preventDefault(), changed && save())}></textarea></>
      <div class="line"><span class=${long ? "trouble" : "faint"}>${number(text.length)} of ${number(block.limit)} characters</span><span class="grow"></span>
        ${changed && html`<${Button} tone="quiet" onClick=${() => type(block.value)}>Discard</>`}<${Button} tone="primary" disabled=${!changed || long || block.read_only} onClick=${save}>Save</></div>
      ${changed && block.value && html`<details><summary>What changes</summary><${Diff} before=${block.value} after=${text} /></details>`}
      ${block.version > 0 && html`<div class="actions"><${Button} small onClick=${lock}>${block.read_only ? "Unlock" : "Lock"}</><${Button} small onClick=${rename}>Rename</><${Button} small tone="quiet" icon="trash" onClick=${remove}>Delete…</></div>`}</div></>
    ${block.version > 0 && html`<${Versions} block=${block} />`}</div>`;
}

function Versions({ block }) {
  const load = useLoad((signal) => get(`/blocks/${slot(block.label)}/history`, { limit: 50 }, { signal }), [block.label, block.version]);
  const back = async (one) => { const receipt = await act(() => post(`/blocks/${slot(block.label)}/restore`, { version: one.version })); if (receipt) undoable(`Version ${one.version} stands again`, receipt); };
  return html`<${Card} title="Versions"><${Loaded} of=${load}>${(found) => html`<ol class="history">${found.map((one, place) => html`<li key=${one.version}><div class="line"><b>Version ${one.version}</b><span class="faint grow">${one.updated_at && html`<${Time} at=${one.updated_at} />`}</span>${one.version !== block.version && html`<${Button} small icon="undo" onClick=${() => back(one)}>Restore</>`}</div>
    <${Diff} before=${found[place + 1]?.value ?? ""} after=${one.value} /></li>`)}</ol>`}</></>`;
}
