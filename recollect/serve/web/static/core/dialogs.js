// Questions before something is done: if (await confirmed({ … })) …; text = await asked({ … }).
import { html, signal, useEffect, useRef, useState, cls } from "./ui.js";

const open = signal(null);
const shown = (what) => new Promise((answer) => { open.value = { ...what, answer }; });

// Gives true or false. `type`, where given, must be typed first: for what cannot be undone.
export const confirmed = ({ title, text, action = "Yes", danger = false, type = "" }) => shown({ title, text, action, danger, type, kind: "confirm" });
// Gives the text, or null. `rows` > 1 makes it a text area.
export const asked = ({ title, text = "", action = "Save", value = "", label = "Text", rows = 4, hint = "" }) => shown({ title, text, action, value, label, rows, hint, kind: "ask" });
// Shows a body of its own until it is closed: body gets close(answer).
export const displayed = ({ title, body, wide = false }) => shown({ title, body, wide, kind: "show" });

export function Dialogs() {
  const what = open.value;
  return what ? html`<${Dialog} key=${what.title} what=${what} />` : null;
}

function Dialog({ what }) {
  const box = useRef();
  const [text, set] = useState(what.value ?? "");
  const close = (answer) => { open.value = null; what.answer(answer); };
  const no = what.kind === "confirm" ? false : null;
  useEffect(() => {
    const away = () => close(no); // who goes elsewhere has not said yes
    box.current.showModal();
    addEventListener("hashchange", away);
    return () => removeEventListener("hashchange", away);
  }, []);
  const ready = what.kind === "ask" ? text.trim() : !what.type || text.trim() === what.type;
  const send = (event) => { event.preventDefault(); if (ready) close(what.kind === "ask" ? text : true); };
  return html`<dialog ref=${box} class=${cls("dialog", what.wide && "wide")} aria-labelledby="dialog-title" onCancel=${(event) => { event.preventDefault(); close(no); }} onClick=${(event) => event.target === box.current && close(no)}>
    <form method="dialog" onSubmit=${send} class="dialog-body"><h2 id="dialog-title">${what.title}</h2>${what.text && html`<p class="dialog-text">${what.text}</p>`}
      ${what.kind === "show" && what.body(close)}
      ${what.kind === "ask" && html`<label class="field"><span class="field-label">${what.label}</span>${what.rows > 1 ? html`<textarea class="input" dir="auto" rows=${what.rows} value=${text} onInput=${(event) => set(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && send(event)}></textarea>` : html`<input class="input" dir="auto" value=${text} onInput=${(event) => set(event.target.value)} />`}${what.hint && html`<span class="hint">${what.hint}</span>`}</label>`}
      ${what.type && html`<label class="field"><span class="field-label">Type <b>${what.type}</b> to go on</span><input class="input" autocomplete="off" value=${text} onInput=${(event) => set(event.target.value)} /></label>`}
      ${what.kind !== "show" && html`<div class="dialog-actions"><button type="button" class="button" onClick=${() => close(no)}>Cancel</button><button type="submit" class=${cls("button", what.danger ? "danger" : "primary")} disabled=${!ready}>${what.action}</button></div>`}
    </form></dialog>`;
}
