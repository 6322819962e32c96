// Short words about what was done or went wrong, in a corner: said("Forgotten", { undo }), failed(error).
import { html, signal, cls } from "./ui.js";
import { Icon } from "./icons.js";

const LASTING = 6000, WITH_UNDO = 12000;
let next = 0;
export const notices = signal([]);

export function dismiss(id) {
  notices.value = notices.value.filter((one) => one.id !== id);
}

function show(notice, lasting) {
  const id = ++next;
  notices.value = [...notices.value.slice(-3), { ...notice, id }];
  if (lasting) setTimeout(() => dismiss(id), lasting);
}

// `undo` is what the notice's button does; `label` is what stands on it.
export const said = (text, { detail = "", undo, label = "Undo" } = {}) => show({ text, detail, undo, label }, undo ? WITH_UNDO : LASTING);
export const failed = (error) => show({ text: error.title || "That did not work", detail: error.message, bad: true }, WITH_UNDO);

export function Notices() {
  return html`<div class="notices" role="status" aria-live="polite">
    ${notices.value.map((one) => html`<div key=${one.id} class=${cls("notice", one.bad && "bad")}>
      <div class="grow"><strong>${one.text}</strong>${one.detail && html`<p>${one.detail}</p>`}</div>
      ${one.undo && html`<button class="button small" onClick=${() => { dismiss(one.id); one.undo(); }}>${one.label}</button>`}
      <button class="plain" aria-label="Dismiss" onClick=${() => dismiss(one.id)}><${Icon} name="close" /></button>
    </div>`)}
  </div>`;
}
