// The command palette: go to a view, search for a text, open a memory by its id, change theme or person.
import { html, useEffect, useRef, useState, cls } from "./ui.js";
import { Icon } from "./icons.js";
import { go, link, spaceName } from "./router.js";
import { palette, help, dressed, dark } from "./shortcuts.js";
import { allowed } from "../views/index.js";
import { spaces, session } from "./api.js";

function commands(typed) {
  const made = allowed(session.value?.key).map((one) => ({ icon: one.icon, text: one.title, hint: `g ${one.key}`, run: () => go(one.name) }));
  made.push({ icon: dark() ? "sun" : "moon", text: dark() ? "Light colours" : "Dark colours", run: () => dressed(dark() ? "light" : "dark") });
  made.push({ icon: "question", text: "Keyboard shortcuts", hint: "?", run: () => { help.value = true; } });
  for (const one of spaces.value.slice(0, 200)) made.push({ icon: "people", text: `Memory of ${one.user}${one.tenant ? ` (${one.tenant})` : ""}`, run: () => { location.hash = link("overview", [], {}, spaceName(one.user, one.tenant)); } });
  const wanted = typed.trim().toLowerCase();
  const found = made.filter((one) => one.text.toLowerCase().includes(wanted)).slice(0, 12);
  if (wanted) {
    if (/^[a-z]+_[0-9a-z]{20,}$/.test(wanted)) found.unshift({ icon: "link", text: `Open ${wanted}`, run: () => go("memory", [wanted]) });
    found.push({ icon: "search", text: `Search memory for “${typed.trim()}”`, run: () => go("search", [], { q: typed.trim() }) });
    found.push({ icon: "context", text: `What would be injected for “${typed.trim()}”`, run: () => go("context", [], { prompt: typed.trim() }) });
  }
  return found;
}

export function Palette() {
  return palette.value ? html`<${Open} />` : null;
}

function Open() {
  const box = useRef();
  const [typed, type] = useState("");
  const [at, set] = useState(0);
  const found = commands(typed);
  const here = Math.min(at, found.length - 1);
  const close = () => { palette.value = false; };
  useEffect(() => { box.current.showModal(); }, []);
  const run = (one) => { close(); one?.run(); };
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); set((here + step + found.length) % found.length); }
    if (event.key === "Enter") { event.preventDefault(); run(found[here]); }
  };
  return html`<dialog ref=${box} class="dialog palette" aria-label="Command palette" onCancel=${(event) => { event.preventDefault(); close(); }} onClick=${(event) => event.target === box.current && close()}>
    <div class="palette-field"><${Icon} name="search" /><input role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${`palette-${here}`} aria-label="Go to, search or do" placeholder="Go to, search or do…" value=${typed} onInput=${(event) => { type(event.target.value); set(0); }} onKeyDown=${press} /></div>
    <div class="palette-list" id="palette-list" role="listbox" aria-label="Commands">${found.map((one, place) => html`<div key=${one.text} id=${`palette-${place}`} role="option" aria-selected=${place === here} class=${cls("palette-item", place === here && "here")} onMouseMove=${() => set(place)} onClick=${() => run(one)}>
      <${Icon} name=${one.icon} /><span class="grow">${one.text}</span>${one.hint && html`<kbd>${one.hint}</kbd>`}</div>`)}</div></dialog>`;
}
