// Jobs: what happens later by itself; tried without effect, run now, held back, and taken back.
import { html, useState, number, plural, words, moment } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Time, Tabs } from "../core/parts.js";
import { get, post, root, act, useLoad, session, changed, slot } from "../core/api.js";
import { link, requery } from "../core/router.js";
import { displayed } from "../core/dialogs.js";
import { failed, said } from "../core/notices.js";

const TONES = { running: "accent", due: "accent", dead: "bad", paused: "warn" };
const STATES = { dead: "put aside", waiting: "waits" };
const mayAdminister = () => session.value?.key?.admin && !session.value.key.read_only;

async function everything(signal) {
  const [known, jobs, runs] = await Promise.all([root.get("/v1/jobs/known"), get("/jobs", {}, { signal }), get("/jobs/runs", { limit: 50 }, { signal })]);
  return { known: known.filter((one) => !one.system), jobs, runs };
}

export default function Jobs({ query }) {
  const load = useLoad(everything, []);
  const tab = query.tab || "jobs";
  return html`<${Head} title="Jobs" lead="What happens later by itself: learning, ageing, forgetting, tidying up. Try one first; what it changed can be taken back."><${Button} icon="eye" onClick=${() => ran([], true)}>Try what is due</><${Button} tone="primary" icon="play" onClick=${() => ran([], false)}>Run what is due</></>
    <${Loaded} of=${load} lines=${8}>${(data) => html`<${Tabs} chosen=${tab} onChoose=${(next) => requery({ tab: next === "jobs" ? "" : next })} options=${[["jobs", "Jobs", data.known.length], ["runs", "Past runs", data.runs.length]]} />
      ${tab === "runs" ? html`<${Runs} runs=${data.runs} />` : html`<div class="stack">${data.known.map((one) => html`<${One} key=${one.name} job=${one} rows=${data.jobs.filter((row) => row.name === one.name)} />`)}</div>`}`}</>`;
}

// Run jobs, or only say what they would do; the reports are shown either way.
async function ran(names, dry) {
  let reports;
  try {
    reports = await post("/jobs/run", { ...(names.length ? { names } : {}), dry });
  } catch (error) {
    return failed(error);
  }
  if (!dry) changed.value++;
  return displayed({ title: dry ? "What would happen" : "What happened", wide: true, body: (close) => html`<${Reports} reports=${reports} dry=${dry} names=${names} close=${close} />` });
}

function Reports({ reports, dry, names, close }) {
  return html`<div class="stack">${reports.length === 0 && html`<p class="soft">Nothing is due now.</p>`}<div class="reports">${reports.map((one, at) => html`<section key=${at} class="report"><p class="line"><b>${words(one.job)}</b><${Badge} tone=${{ ok: one.changed ? "accent" : "", failed: "bad", skipped: "warn" }[one.status]}>${one.status === "ok" ? (one.changed ? `${number(one.changed)} ${dry ? "would change" : "changed"}` : "nothing to do") : one.status}</></p><p class="text" dir="auto">${one.text}</p><${Steps} report=${one} /></section>`)}</div>
    <div class="dialog-actions"><button type="button" class="button" onClick=${() => close(null)}>Close</button>${dry && reports.some((one) => one.changed) && html`<button type="button" class="button primary" onClick=${() => { close(null); ran(names, false); }}>Run it now</button>`}
      ${!dry && reports.some((one) => one.run) && html`<button type="button" class="button" onClick=${async () => { close(null); for (const one of reports.filter((each) => each.run).reverse()) await undone(one.run); }}>Take it back</button>`}</div></div>`;
}

function Steps({ report }) {
  const numbers = Object.entries(report.numbers || {}).filter(([, many]) => many);
  return html`${numbers.length > 0 && html`<p class="faint">${numbers.map(([name, many]) => `${words(name)} ${number(many)}`).join(" · ")}</p>`}${report.steps?.length > 0 && html`<details><summary>${plural(report.steps.length, "step")}</summary><ul class="steps-list">${report.steps.slice(0, 200).map((one, at) => html`<li key=${at} class="mono">${one}</li>`)}</ul></details>`}`;
}

function One({ job, rows }) {
  const [open, show] = useState(false);
  const held = rows.some((one) => one.state === "paused"), dead = rows.filter((one) => one.state === "dead");
  const next = rows.filter((one) => one.state !== "dead").sort((a, b) => (a.due_at < b.due_at ? -1 : 1))[0];
  const last = rows.filter((one) => one.last_run).sort((a, b) => (a.last_run < b.last_run ? 1 : -1))[0];
  const hold = async () => { if (await act(() => root.put("/v1/jobs/paused", { names: [job.name], paused: !held }))) said(held ? "Runs by itself again" : "Held back", { detail: held ? "" : "No worker runs it until it is let go, for nobody in this database. You can still run it here.", undo: async () => { if (await act(() => root.put("/v1/jobs/paused", { names: [job.name], paused: held }))) said("As before"); } }); };
  const again = async () => { const made = await act(() => root.post("/v1/jobs/retry", { names: [job.name] })); if (made) said(`${plural(made.length, "job")} due again`); };
  return html`<${Card} class="job"><div class="line top"><div class="grow"><h2>${words(job.name)} ${held ? html`<${Badge} tone="warn">held back</>` : dead.length ? html`<${Badge} tone="bad">${plural(dead.length, "time")} put aside</>` : next && html`<${Badge} tone=${TONES[next.state] || ""}>${STATES[next.state] || next.state}</>`}</h2><p class="soft">${job.text}</p>
      <p class="facts">${next && html`<span>${next.state === "due" ? "due since" : "due"} <${Time} at=${next.due_at} /></span>`}${rows.length > 1 && html`<span>${plural(rows.length, "row")}</span>`}${last && html`<span>last run <${Time} at=${last.last_run} /></span>`}${!rows.length && html`<span>nothing asks for it now</span>`}</p></div>
    <div class="actions"><${Button} small icon="eye" title=${`Try ${job.name} without effect`} onClick=${() => ran([job.name], true)}>Try</><${Button} small icon="play" onClick=${() => ran([job.name], false)}>Run</>${mayAdminister() && html`<${Button} small tone="quiet" onClick=${hold}>${held ? "Let go" : "Hold back"}</>`}${mayAdminister() && dead.length > 0 && html`<${Button} small onClick=${again}>Again</>`}</div></div>
    ${(last || rows.length > 1) && html`<button class="inline" aria-expanded=${open} onClick=${() => show(!open)}>${open ? "Hide details" : "Details"}</button>`}
    ${open && html`<ul class="stack tight">${rows.slice(0, 50).map((one) => html`<li key=${one.key} class="report"><p class="line"><span class="grow cut" dir="auto">${one.key ? html`<a href=${link("sessions", [one.key])}>${one.key}</a>` : "for everything"}</span><${Badge} tone=${TONES[one.state] || ""}>${STATES[one.state] || one.state}</><span class="faint">${moment(one.due_at)}</span></p>${one.last_report && html`<p class="text soft">${one.last_report.text || one.last_report.error || ""}</p><${Steps} report=${one.last_report} />`}${one.attempts > 0 && html`<p class="trouble">failed ${plural(one.attempts, "time")}</p>`}</li>`)}</ul>`}</>`;
}

async function undone(run) {
  const report = await act(() => post(`/jobs/runs/${slot(run)}/undo`));
  if (report) said(report.changed ? "Taken back" : "Nothing was taken back", { detail: report.text });
}

function Runs({ runs }) {
  const back = new Set(runs.filter((one) => one.op === "undone").map((one) => one.memory_id));
  const shown = runs.filter((one) => one.op === "ran");
  if (!shown.length) return html`<${Card}><${Empty} icon="jobs" title="No run has changed anything yet">As soon as one does it stands here, and can be taken back.</></>`;
  return html`<${Card}><div class="rows">${shown.map((one) => html`<article key=${one.memory_id} class="row"><div class="grow"><b>${words(one.node)}</b><p class="facts"><${Time} at=${one.at} />${one.session && html`<span>${one.session}</span>`}<span>revision ${number(one.rev)}</span><a href=${link("timeline", [], { day: one.at.slice(0, 10), show: "job" })}>in the timeline</a></p></div><div class="row-aside">${back.has(one.memory_id) ? html`<${Badge} tone="quiet">taken back</>` : html`<${Button} small icon="undo" onClick=${() => undone(one.memory_id)}>Take back</>`}</div></article>`)}</div></>`;
}
