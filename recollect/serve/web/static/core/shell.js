// The frame around every view: navigation, whose memory it is, and the door where a key is needed.
import { html, useState, useEffect, useRef, cls, signal } from "./ui.js";
import { Icon } from "./icons.js";
import { route, link, spaceName } from "./router.js";
import { session, spaces, root, changed, get } from "./api.js";
import { Notices, failed } from "./notices.js";
import { Dialogs } from "./dialogs.js";
import { Palette } from "./palette.js";
import { palette, help, dressed, dark, theme } from "./shortcuts.js";
import { Trouble, Wait, Empty } from "./parts.js";
import { views, groups, allowed } from "../views/index.js";

const waiting = signal(0);

export function App() {
  if (session.value === undefined) return html`<div class="door"><${Wait} lines=${3} /></div>`;
  if (session.value?.error) return html`<div class="door"><${Trouble} error=${session.value.error} again=${() => location.reload()} /></div>`;
  return html`${session.value ? html`<${Frame} />` : html`<${Door} />`}<${Dialogs} /><${Notices} />`;
}

function Frame() {
  const [open, set] = useState(false);
  const here = route.value;
  useEffect(() => set(false), [here]);
  useEffect(() => { get("/proposals").then((found) => { waiting.value = found.length; }, () => {}); }, [here.space, changed.value]);
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>Skip to content</a>
    <div class=${cls("frame", open && "open")}>
      <div class="topbar"><button class="plain" aria-label="Menu" aria-expanded=${open} onClick=${() => set(!open)}><${Icon} name="menu" size=${22} /></button><${Brand} /><button class="plain" aria-label="Command palette" onClick=${() => { palette.value = true; }}><${Icon} name="search" size=${20} /></button></div>
      <aside class="side"><${Brand} /><${Whose} />
        <button class="find" onClick=${() => { palette.value = true; }}><${Icon} name="search" size=${16} /><span class="grow">Search or go to…</span><kbd>Ctrl K</kbd></button>
        <${Nav} /><${Foot} /></aside>
      <div class="veil" onClick=${() => set(false)}></div>
      <main id="main" tabindex="-1"><${View} key=${here.space} /></main>
    </div><${Palette} /><${Help} />`;
}

const Brand = () => html`<a class="brand" href=${link("overview")}><img src="icon.svg" alt="" width="26" height="26" /><span>Recollect</span></a>`;

function Nav() {
  const shown = allowed(session.value.key);
  return html`<nav aria-label="Views">${groups.map((group) => html`<div key=${group} class="nav-group"><span class="nav-title">${group}</span>${shown.filter((one) => one.group === group).map((one) => html`<a key=${one.name} href=${link(one.name)} class="nav-link" aria-current=${route.value.view === one.name ? "page" : undefined}>
    <${Icon} name=${one.icon} /><span class="grow">${one.title}</span>${one.name === "inbox" && waiting.value > 0 && html`<span class="count">${waiting.value}</span>`}</a>`)}</div>`)}</nav>`;
}

function Whose() {
  const here = route.value, own = session.value.key;
  const name = here.user === "me" ? own.user || session.value.user || "me" : here.user;
  const several = spaces.value.length > 1 || (spaces.value.length === 1 && spaces.value[0].user !== name);
  if (!several) return html`<div class="whose"><span class="avatar">${[...name][0]?.toUpperCase()}</span><span class="grow cut">${name}</span></div>`;
  const known = spaces.value.some((one) => spaceName(one.user, one.tenant) === here.space);
  return html`<label class="whose"><span class="avatar" aria-hidden="true">${[...name][0]?.toUpperCase()}</span><span class="unseen">Whose memory</span>
    <select class="grow" value=${here.space} onChange=${(event) => { location.hash = link(["memory", "sessions"].includes(here.view) ? "overview" : here.view, [], {}, event.target.value); }}>
      ${!known && html`<option value=${here.space} selected>${name}</option>`}${spaces.value.map((one) => { const key = spaceName(one.user, one.tenant); return html`<option key=${key} value=${key} selected=${key === here.space}>${one.tenant ? `${one.tenant} / ` : ""}${one.user}</option>`; })}</select></label>`;
}

function Foot() {
  void theme.value;
  const leave = () => root.del("/ui/session").then(() => { session.value = null; }, failed);
  return html`<div class="foot"><button class="plain" title="Change colours" aria-label=${dark() ? "Light colours" : "Dark colours"} onClick=${() => dressed(dark() ? "light" : "dark")}><${Icon} name=${dark() ? "sun" : "moon"} /></button>
    <button class="plain" title="Keyboard shortcuts" aria-label="Keyboard shortcuts" onClick=${() => { help.value = true; }}><${Icon} name="question" /></button><span class="grow"></span>
    ${session.value.session && html`<button class="plain labelled" onClick=${leave}><${Icon} name="out" /> Sign out</button>`}</div>`;
}

// A view is loaded when it is first gone to; its heading takes the focus, so that it is heard.
function View() {
  const here = route.value;
  const known = views.find((one) => one.name === here.view);
  const [loaded, set] = useState({});
  useEffect(() => {
    if (!known) return;
    document.title = `${known.title} · Recollect`;
    known.load().then((module) => set({ name: known.name, Made: module.default }), (error) => set({ name: known.name, error }));
  }, [known]);
  const before = useRef(here.view);
  useEffect(() => {
    if (loaded.name !== here.view) return;
    scrollTo(0, 0);
    if (before.current !== here.view) document.querySelector("main h1")?.focus({ preventScroll: true });
    before.current = here.view;
  }, [loaded.name, here.view, here.args.join("/")]);
  if (!known) return html`<${Empty} icon="question" title="There is no such view" action=${html`<a class="button" href=${link("overview")}>To the overview</a>`}>The address names “${here.view}”.</>`;
  if (loaded.name !== known.name) return html`<div class="view"><${Wait} lines=${6} /></div>`;
  if (loaded.error) return html`<div class="view"><${Trouble} error=${loaded.error} again=${() => location.reload()} /></div>`;
  return html`<div class=${`view view-${known.name}`}><${loaded.Made} args=${here.args} query=${here.query} /></div>`;
}

function Help() {
  const box = useRef();
  const shown = help.value;
  useEffect(() => { if (shown) box.current.showModal(); }, [shown]);
  if (!shown) return null;
  const close = () => { help.value = false; };
  const rows = [["Ctrl K", "Command palette"], ["/", "Search"], ["j k", "Down and up a list"], ["?", "This help"], ...allowed(session.value.key).map((one) => [`g ${one.key}`, one.title])];
  return html`<dialog ref=${box} class="dialog" aria-labelledby="help-title" onCancel=${(event) => { event.preventDefault(); close(); }} onClick=${(event) => event.target === box.current && close()}>
    <div class="dialog-body"><h2 id="help-title">Keyboard shortcuts</h2><dl class="keys">${rows.map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl><div class="dialog-actions"><button class="button" onClick=${close}>Close</button></div></div></dialog>`;
}

function Door() {
  const [key, type] = useState("");
  const [trouble, set] = useState("");
  const enter = async (event) => {
    event.preventDefault();
    try {
      await known(await root.post("/ui/session", { key: key.trim() }));
    } catch (error) {
      set(error.message);
    }
  };
  return html`<main class="door" id="main"><form class="card door-card" onSubmit=${enter}><img src="icon.svg" alt="" width="44" height="44" /><h1>Recollect</h1><p class="lead">This memory is kept behind a key.</p>
    <label class="field"><span class="field-label">Your key</span><input class="input" type="password" autocomplete="current-password" placeholder="rk_…" value=${key} onInput=${(event) => type(event.target.value)} autofocus aria-invalid=${Boolean(trouble)} aria-describedby="door-trouble" /></label>
    <p id="door-trouble" class="trouble" role="alert">${trouble}</p><button class="button primary" disabled=${!key.trim()}>Open</button>
    <p class="hint">Keys are made with <code>recollect keys create NAME</code>. This browser keeps a session of twelve hours, never the key.</p></form></main>`;
}

// Learn whose memory may be seen, and begin with one that is there: who looks may have none of his own.
export async function known(who) {
  spaces.value = await root.get("/v1/spaces").catch(() => []);
  const first = spaces.value[0], own = who.key.user || spaces.value.some((one) => one.user === who.user && one.tenant === "");
  if (!location.hash && first && !own) {
    const gone = new Promise((there) => addEventListener("hashchange", there, { once: true }));
    location.replace(link("overview", [], {}, spaceName(first.user, first.tenant)));
    await gone;
  }
  session.value = who;
}
