// Administration: whose memory there is, keys, settings in force and where each is from, health, and backup.
import { html, useState, number, brief, plural, moment, since } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Table, Tabs, Time, Field, Icon } from "../core/parts.js";
import { root, act, useLoad, session, changed, spaces } from "../core/api.js";
import { link, requery, spaceName } from "../core/router.js";
import { confirmed, displayed } from "../core/dialogs.js";
import { failed, said } from "../core/notices.js";

const TABS = [["owners", "Whose memory"], ["keys", "Keys"], ["settings", "Settings"], ["health", "Health"], ["backup", "Backup"]];
const SHOWN = { owners: Owners, keys: Keys, settings: Settings, health: Health, backup: Backup };

export default function Admin({ query }) {
  const tab = SHOWN[query.tab] ? query.tab : "owners";
  if (!session.value.key.admin) return html`<${Head} title="Administration" /><${Card}><${Empty} icon="key" title="This key may not administer">A key that may is made with <code>recollect keys create NAME --admin</code>.</></>`;
  return html`<${Head} title="Administration" lead="The whole database: everybody's memory, who may come in, how it is set and how it is." /><${Tabs} chosen=${tab} onChoose=${(next) => requery({ tab: next })} options=${TABS} /><${SHOWN[tab]} query=${query} />`;
}

function Owners() {
  const load = useLoad(() => root.get("/v1/owners"), []);
  const columns = [
    { name: "user", title: "User", wide: true, show: (one) => html`<a href=${link("overview", [], {}, spaceName(one.user, one.tenant))}>${one.user}</a>` }, { name: "tenant", title: "Tenant", show: (one) => one.tenant || "–" },
    { name: "memories", title: "Memories", number: true, show: (one) => brief(one.memories) }, { name: "sessions", title: "Sessions", number: true, show: (one) => brief(one.sessions) }, { name: "entities", title: "Names", number: true, show: (one) => brief(one.entities) },
    { name: "latest", title: "Last change", show: (one) => (one.latest ? html`<${Time} at=${one.latest} />` : "–") }, { name: "erase", title: html`<span class="unseen">Erase</span>`, show: (one) => html`<${Button} small tone="quiet" icon="trash" title=${`Erase everything of ${one.user}`} onClick=${() => erased(one)} />` },
  ];
  return html`<${Loaded} of=${load}>${(found) => (found.length ? html`<${Card} title=${plural(found.length, "person has a memory", "people have a memory")}><${Table} caption="Whose memory there is" columns=${columns} rows=${found} keyOf=${(one) => `${one.tenant}/${one.user}`} /></>` : html`<${Card}><${Empty} icon="people" title="Nobody has a memory yet">The first thing remembered for somebody begins theirs.</></>`)}</>`;
}

async function erased(one) {
  if (!(await confirmed({ title: `Erase everything of ${one.user}?`, text: `${plural(one.memories, "memory", "memories")}, ${plural(one.sessions, "session")} and the whole history go for good. No text is left in the files. This cannot be undone; make a backup first if in doubt.`, action: "Erase for good", danger: true, type: one.user }))) return;
  const receipt = await act(() => root.as(one.tenant).post(`/v1/spaces/${encodeURIComponent(one.user)}/erase`, { everything: true }));
  if (!receipt) return;
  said(`${plural(receipt.count, "memory", "memories")} of ${one.user} erased`, { detail: receipt.scrub === "scrubbed" ? "The files hold no text of them any more." : "The files are scrubbed as soon as no reader holds them." });
  spaces.value = await root.get("/v1/spaces").catch(() => spaces.value);
}

function Keys() {
  const load = useLoad(() => root.get("/v1/keys"), []);
  const revoke = async (one) => { if (await confirmed({ title: `Revoke ${one.name}?`, text: "It opens nothing any more, at once, and cannot be brought back. Sessions opened with it end.", action: "Revoke", danger: true })) { if (await act(() => root.del(`/v1/keys/${encodeURIComponent(one.id)}`))) said("Revoked"); } };
  const columns = [
    { name: "name", title: "Name", wide: true, show: (one) => html`${one.name} ${one.id === session.value.key.id && html`<${Badge} tone="accent">this one</>`}` }, { name: "opens", title: "Opens", show: (one) => [one.user ? one.user : "everybody", one.tenant && `in ${one.tenant}`, one.agent && `as ${one.agent}`, one.project && `project ${one.project}`].filter(Boolean).join(", ") },
    { name: "may", title: "May", show: (one) => html`<${Badge} tone=${one.admin ? "warn" : one.read_only ? "quiet" : ""}>${one.admin ? "administer" : one.read_only ? "only read" : "read and write"}</>` }, { name: "used", title: "Last used", show: (one) => (one.last_used ? html`<${Time} at=${one.last_used} />` : "never") },
    { name: "expires", title: "Ends", show: (one) => (one.expires_at ? since(one.expires_at) : "–") }, { name: "revoke", title: html`<span class="unseen">Revoke</span>`, show: (one) => html`<${Button} small tone="quiet" icon="trash" title=${`Revoke ${one.name}`} onClick=${() => revoke(one)} />` },
  ];
  return html`<${Loaded} of=${load}>${(found) => html`<${Card} title="Keys" aside=${html`<${Button} small icon="plus" onClick=${() => made(found.length === 0)}>New key</>`}>${found.length ? html`<${Table} caption="Keys" columns=${columns} rows=${found} />` : html`<${Empty} icon="key" title="No key is needed yet" action=${html`<${Button} tone="primary" onClick=${() => made(true)}>New key</>`}>On this machine everybody may come in. As soon as there is a key, everybody needs one.</>`}</>`}</>`;
}

async function made(first) {
  const wanted = await displayed({ title: "New key", body: (close) => html`<${NewKey} first=${first} close=${close} />` });
  if (!wanted) return;
  try {
    const answer = await root.post("/v1/keys", wanted);
    changed.value++;
    await displayed({ title: "Your new key", body: (close) => html`<${Secret} secret=${answer.secret} close=${close} first=${first} />` });
    if (first && !session.value.session) location.reload();
  } catch (error) {
    failed(error);
  }
}

function NewKey({ close, first }) {
  const [given, set] = useState({ name: "", user: "", may: first ? "admin" : "write", days: "" });
  const field = (name, label, hint, more = {}) => html`<${Field} label=${label} hint=${hint}><input class="input" value=${given[name]} onInput=${(event) => set({ ...given, [name]: event.target.value })} ...${more} /></>`;
  const wanted = { name: given.name.trim(), user: given.user.trim(), admin: given.may === "admin", read_only: given.may === "read", ...(Number(given.days) > 0 ? { days: Number(given.days) } : {}) };
  return html`<div class="stack">${first && html`<p class="note"><${Icon} name="alert" size=${16} /> From the first key on everybody needs one, also this page. Make one that may administer, and keep it.</p>`}${field("name", "Name", "Who or what uses it, such as laptop.")}${field("user", "For whom", "A user; empty opens everybody's memory.")}
    <fieldset class="field"><legend class="field-label">It may</legend>${[["write", "read and write"], ["read", "only read"], ["admin", "administer everything"]].map(([key, text]) => html`<label key=${key} class="line check"><input type="radio" name="may" checked=${given.may === key} onChange=${() => set({ ...given, may: key })} /> ${text}</label>`)}</fieldset>${field("days", "Ends after days", "Empty: never.", { type: "number", min: "1" })}
    <div class="dialog-actions"><button type="button" class="button" onClick=${() => close(null)}>Cancel</button><button type="button" class="button primary" disabled=${!wanted.name} onClick=${() => close(wanted)}>Make it</button></div></div>`;
}

function Secret({ secret, close, first }) {
  const copy = () => navigator.clipboard?.writeText(secret).then(() => said("Copied"), () => {});
  return html`<div class="stack"><p class="soft">This is shown once, and kept nowhere${first ? "; you need it in a moment to come in again" : ""}.</p><p class="secret mono">${secret}</p><div class="dialog-actions"><button type="button" class="button" onClick=${copy}>Copy</button><button type="button" class="button primary" onClick=${() => close(null)}>I have kept it</button></div></div>`;
}

const shown = (value) => (value === null || value === "" ? "not set" : Array.isArray(value) ? value.map((one) => (typeof one === "object" ? JSON.stringify(one) : one)).join(", ") || "none" : typeof value === "object" ? JSON.stringify(value) : String(value));

function Settings({ query }) {
  const [part, type] = useState(query.part || ""), [mine, only] = useState(false);
  const load = useLoad(() => root.get("/v1/settings"), []);
  return html`<${Loaded} of=${load}>${(all) => {
    const set = all.filter((one) => one.origin), wanted = part.trim().toLowerCase();
    const found = all.filter((one) => (!mine || one.origin) && `${one.name} ${one.text}`.toLowerCase().includes(wanted));
    const groups = new Map();
    for (const one of found) { const group = one.name.includes(".") ? one.name.split(".")[0] : "general"; groups.set(group, [...(groups.get(group) || []), one]); }
    return html`<div class="line"><input class="input narrow" type="search" data-find aria-label="Find a setting" placeholder="Find a setting…" value=${part} onInput=${(event) => type(event.target.value)} /><label class="line check"><input type="checkbox" checked=${mine} onChange=${(event) => only(event.target.checked)} /> only what is set (${number(set.length)} of ${number(all.length)})</label></div>
      <p class="soft">Settings are made in <code>recollect.toml</code>, in variables, or where the server is started; they hold from its next start on.</p>
      ${found.length === 0 && html`<${Card}><${Empty} icon="search" title="No setting is called that">Try another word.</></>`}
      <div class="stack">${[...groups].map(([group, some]) => html`<details key=${group} class="card group" open=${Boolean(wanted) || mine || some.some((one) => one.origin)}><summary><h2>${group}</h2><span class="faint">${plural(some.length, "setting")}</span></summary><dl class="settings">${some.map((one) => html`<div key=${one.name} class="setting"><dt><code>${one.name}</code>${one.origin && html`<${Badge} tone="accent">${one.origin}</>`}</dt><dd><span class="setting-value" dir="auto">${shown(one.value)}</span>${one.origin && shown(one.default) !== shown(one.value) && html`<span class="faint">else ${shown(one.default)}</span>`}<span class="faint text">${one.text}</span></dd></div>`)}</dl></details>`)}</div>`;
  }}</>`;
}

const size = (bytes) => (bytes < 1e6 ? `${number(Math.round(bytes / 1e3))} KB` : bytes < 1e9 ? `${number(Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`);
const database = (one) => [["Engine", `${one.engine} ${one.version || ""}`], ["Where", one.url], ["Size", one.bytes === undefined ? "" : size(one.bytes)], ["Schema", one.schema], ["Events lost", number(one.events_dropped)]];

function Health() {
  const load = useLoad(async () => { const [findings, about] = await Promise.all([root.get("/v1/doctor"), root.get("/v1/database")]); return { findings, about }; }, []);
  const mend = async () => { const found = await act(() => root.post("/v1/doctor")); if (found) said(found.every((one) => one.ok) ? "All is well" : "Something is still wrong"); };
  return html`<${Loaded} of=${load} lines=${8}>${({ findings, about }) => { const wrong = findings.filter((one) => !one.ok); return html`<div class="aside-right"><${Card} title=${wrong.length ? plural(wrong.length, "thing is wrong", "things are wrong") : "All is well"} aside=${html`<span class="actions"><${Button} small onClick=${load.reload}>Check again</>${wrong.length > 0 && html`<${Button} small tone="primary" onClick=${mend}>Mend</>`}</span>`}>
      <ul class="checks">${findings.map((one) => html`<li key=${one.check} class=${one.ok ? "good" : "bad"}><span class="check-mark"><${Icon} name=${one.ok ? "check" : "alert"} size=${15} /></span><div class="grow"><b>${one.check}</b> <span class="soft">${one.ok ? (one.fix ? `no ${one.text}` : one.text) : `${number(one.count)} ${one.text}`}</span>${!one.ok && html`<p class="faint">To mend it: ${one.fix}</p>`}</div></li>`)}</ul></>
    <${Card} title="Database"><dl class="pairs">${database(about).filter(([, value]) => value !== "" && value !== undefined).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl></></div>`; }}</>`;
}

function Backup() {
  const load = useLoad(() => root.get("/v1/database"), []);
  return html`<div class="halves"><${Card} title="Take a backup"><div class="stack"><p class="soft">Everybody's memory as lines of JSON: every engine reads it back, and the same memory gives the same bytes. Keys are not in it.</p><${Loaded} of=${load} lines=${1}>${(about) => html`<p class="faint">The database takes ${size(about.bytes || 0)}.</p>`}</><div class="actions"><a class="button primary" href="/v1/export" download="recollect-backup.jsonl"><${Icon} name="down" size=${17} /> Download</a></div></div></>
    <${Card} title="Put one back"><div class="stack"><p class="soft">Into an empty database, all of it or nothing:</p><pre class="steps">recollect import recollect-backup.jsonl --db new.db</pre><p class="soft">Or from one database straight into another, of any engine:</p><pre class="steps">recollect db copy --help</pre></div></></div>`;
}
