// Overview: what is known of this person in one glance; every number leads to where it is from.
import { html, brief, number, money, words, plural, day as named } from "../core/ui.js";
import { Head, Card, Figure, Loaded, MemoryRow, Newer, Empty, Time, Button } from "../core/parts.js";
import { get, outdated, post, act, useLoad, session } from "../core/api.js";
import { link, route } from "../core/router.js";
import { asked } from "../core/dialogs.js";
import { undoable } from "../core/undoing.js";
import { Columns } from "../core/charts.js";

const DAYS = 60, FEWEST = 21, MONTH = 30;
const past = (days) => Array.from({ length: days }, (_, at) => new Date(Date.now() - (days - 1 - at) * 864e5).toISOString().slice(0, 10));

async function everything(signal) {
  const since = past(MONTH)[0];
  const [stats, growth, latest, matter, waiting, jobs, costs, runs] = await Promise.all([
    get("/stats", {}, { signal }), get("/growth", { days: DAYS }, { signal }), get("/memories", { limit: 5 }, { signal }),
    get("/memories", { order: "importance", kinds: ["fact", "insight"], limit: 6 }, { signal }), get("/proposals", {}, { signal }),
    get("/jobs", {}, { signal }), get("/costs", { since }, { signal }), get("/jobs/runs", { limit: 12 }, { signal }),
  ]);
  return { stats, growth, latest, matter, newer: await outdated([...latest, ...matter], signal), waiting, jobs, costs, runs };
}

async function added() {
  const content = await asked({ title: "Add a memory", label: "What shall be remembered?", action: "Remember", rows: 3, hint: "One fact in one sentence is found best." });
  if (!content) return;
  const receipt = await act(() => post("/memories", { content, source: "user" }));
  if (receipt) undoable(receipt.outcome === "duplicate" ? "That was known already" : "Remembered", receipt);
}

export default function Overview() {
  const load = useLoad(everything, []);
  const who = route.value.user === "me" ? session.value.key.user || "you" : route.value.user;
  return html`<${Head} title="Overview" lead=${`What is remembered of ${who}.`}><${Button} icon="plus" tone="primary" onClick=${added}>Add a memory</></>
    <${Loaded} of=${load} lines=${8}>${(data) => (data.stats.rev === 0 ? html`<${Nothing} />` : html`<${Filled} ...${data} />`)}</>`;
}

const Nothing = () => html`<${Card}><${Empty} icon="spark" title="Nothing is remembered yet" action=${html`<${Button} icon="plus" tone="primary" onClick=${added}>Add a first memory</>`}>
  <p>Memory fills by itself once an agent is connected. Or try it now:</p><pre class="steps">${"recollect install            # connect an agent\nrecollect remember \"Ana lives in Lisbon\"\nrecollect demo --serve      # look around with example data"}</pre></></>`;

function Filled({ stats, growth, latest, matter, newer, waiting, jobs, costs, runs }) {
  const said = stats.kinds.episode || 0, total = Object.values(stats.kinds).reduce((sum, one) => sum + one, 0) - said;
  const spent = costs.reduce((sum, one) => ({ money: sum.money + one.usage.money, calls: sum.calls + one.usage.calls, unpriced: sum.unpriced + one.usage.unpriced }), { money: 0, calls: 0, unpriced: 0 });
  const dead = jobs.filter((one) => one.state === "dead").length;
  return html`<div class="figures">
      <${Figure} label="Memories" value=${brief(total)} href=${link("search")} note=${plural(stats.kinds.fact || 0, "fact")} />
      <${Figure} label="Messages" value=${brief(said)} href=${link("sessions")} note=${plural(stats.sessions, "session")} />
      <${Figure} label="People and things" value=${brief(stats.entities)} href=${link("people")} />
      <${Figure} label="Waiting for you" value=${brief(waiting.length)} href=${link("inbox")} tone=${waiting.length ? "warn" : ""} note=${waiting.length ? "in the inbox" : "nothing"} />
      <${Figure} label="Jobs" value=${dead ? `${dead} failed` : "Healthy"} href=${link("jobs")} tone=${dead ? "bad" : ""} note=${`${jobs.filter((one) => one.state === "due" || one.state === "running").length} due now`} />
      <${Figure} label="Spent in 30 days" value=${spent.calls && spent.unpriced === spent.calls ? "unknown" : money(spent.money)} href=${link("calls")} note=${plural(spent.calls, "model call")} />
    </div>
    <${Growth} growth=${growth} />
    <div class="halves">
      <${Card} title="What matters most" aside=${html`<a href=${link("search", [], { order: "importance" })}>All by importance</a>`}>${matter.length ? html`<div class="rows">${matter.map((one) => html`<${MemoryRow} key=${one.id} memory=${one}><${Newer} by=${newer[one.id]} /></>`)}</div>` : html`<p class="soft">No facts yet: they are learnt when a session ends.</p>`}</>
      <div class="stack">
        <${Card} title="Latest" aside=${html`<a href=${link("timeline")}>Timeline</a>`}>${latest.length ? html`<div class="rows">${latest.map((one) => html`<${MemoryRow} key=${one.id} memory=${one}><${Newer} by=${newer[one.id]} /></>`)}</div>` : html`<p class="soft">Nothing yet.</p>`}</>
      </div>
    </div>
    <div class="grid quarters">
      <${Card} title="By kind"><${Counts} of=${stats.kinds} name="kind" /></>
      <${Card} title="By tier"><${Counts} of=${stats.tiers} name="tier" /></>
      <${Card} title="By state"><${Counts} of=${stats.states} name="state" /></>
      <${Card} title="Last runs" aside=${html`<a href=${link("jobs", [], { tab: "runs" })}>All runs</a>`}><${Runs} runs=${runs} /></>
    </div>`;
}

function Growth({ growth }) {
  const first = growth[0]?.day || "", reach = past(DAYS).filter((one) => one >= first).length;
  const days = past(Math.max(reach + 1, FEWEST));
  const count = (wanted) => days.map((one) => growth.filter((line) => line.day === one && wanted(line.kind)).reduce((sum, line) => sum + line.count, 0));
  const series = [{ name: "facts", values: count((kind) => kind === "fact") }, { name: "other memories", values: count((kind) => kind !== "fact" && kind !== "episode") }, { name: "messages", values: count((kind) => kind === "episode") }];
  const total = growth.reduce((sum, one) => sum + one.count, 0);
  return html`<${Card} title=${`Growth in ${days.length} days`} aside=${html`<a href=${link("timeline")}>Day by day</a>`}><${Columns} days=${days} series=${series} label=${`${number(total)} memories and messages were made since ${named(days[0])}.`} /></>`;
}

function Counts({ of, name }) {
  const rows = Object.entries(of).sort((a, b) => b[1] - a[1]), most = Math.max(...rows.map(([, count]) => count), 1);
  return html`<ul class="counts">${rows.map(([key, count]) => html`<li key=${key}><a href=${key === "episode" ? link("sessions") : link("search", [], { [name]: key })}><span class="grow">${words(key === "episode" ? "message" : key)}</span><b>${number(count)}</b><span class="bar-track"><span class="bar-fill" style=${{ width: `${(100 * count) / most}%` }}></span></span></a></li>`)}</ul>`;
}

function Runs({ runs }) {
  const ran = runs.filter((one) => one.op === "ran").slice(0, 5);
  if (!ran.length) return html`<p class="soft">No job has changed anything yet. What runs by itself stands under <a href=${link("jobs")}>Jobs</a>.</p>`;
  return html`<ul class="stack tight">${ran.map((one) => html`<li key=${one.memory_id} class="line"><span class="grow cut">${words(one.node)}${one.session && html` <span class="faint">${one.session}</span>`}</span><span class="faint"><${Time} at=${one.at} /></span></li>`)}</ul>`;
}
