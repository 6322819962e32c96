// Model calls: what asking models has cost, day by day and by what for; and, where it is kept, what was asked and answered.
import { html, useState, useEffect, number, brief, money, plural, words, moment } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Button, Badge, Figure, Select, Table, Tabs, Time, Icon } from "../core/parts.js";
import { get, del, act, useLoad, slot } from "../core/api.js";
import { go, link, requery } from "../core/router.js";
import { confirmed } from "../core/dialogs.js";
import { failed, said } from "../core/notices.js";
import { Columns } from "../core/charts.js";

const SPANS = [["7", "7 days"], ["30", "30 days"], ["90", "90 days"], ["365", "a year"]];
const TONES = { answered: "good", nothing: "quiet", refused: "warn", failed: "bad" };
const ENDED = { nothing: "said: nothing" };
const past = (days) => Array.from({ length: days }, (_, at) => new Date(Date.now() - (days - 1 - at) * 864e5).toISOString().slice(0, 10));
const added = (sum, one) => ({ calls: sum.calls + one.calls, tokens_in: sum.tokens_in + one.tokens_in, tokens_out: sum.tokens_out + one.tokens_out, money: sum.money + one.money, unpriced: sum.unpriced + one.unpriced });
const NOTHING = { calls: 0, tokens_in: 0, tokens_out: 0, money: 0, unpriced: 0 };
const priced = (usage) => (usage.unpriced === usage.calls ? "unknown" : money(usage.money));

export default function Calls({ args, query }) {
  if (args[0]) return html`<${One} key=${args[0]} id=${args[0]} />`;
  const span = query.days || "30", days = past(Number(span)), tab = query.tab === "log" ? "log" : "cost";
  return html`<${Head} title="Model calls" lead="Which models were asked, for what, and what it cost.">${tab === "cost" && html`<${Select} label="How far back" value=${span} options=${SPANS} onChange=${(next) => requery({ days: next })} />`}</>
    <${Tabs} chosen=${tab} onChoose=${(next) => requery(next === "log" ? { tab: next } : {})} options=${[["cost", "Cost"], ["log", "Questions and answers"]]} />
    ${tab === "log" ? html`<${Log} session=${query.session || ""} />` : html`<${Cost} key=${span} days=${days} />`}`;
}

function Cost({ days }) {
  const load = useLoad((signal) => get("/costs", { since: days[0] }, { signal }), [days.length]);
  return html`<${Loaded} of=${load}>${(lines) => (lines.length ? html`<${Spent} lines=${lines} days=${days} />` : html`<${Card}><${Empty} icon="calls" title="No model was asked">Memory works without one. With a model set, such as <code>llm = "openai:…"</code> in <code>recollect.toml</code>, what it is asked for and what that costs is told here. A budget can be set there too.</></>`)}</>`;
}

function Spent({ lines, days }) {
  const all = lines.reduce((sum, one) => added(sum, one.usage), NOTHING), roles = [...new Set(lines.map((one) => one.role))];
  const groups = new Map();
  for (const one of lines) { const key = JSON.stringify([one.role, one.job, one.session]); groups.set(key, { ...one, key, usage: added(groups.get(key)?.usage || NOTHING, one.usage) }); }
  const rows = [...groups.values()].sort((a, b) => b.usage.money - a.usage.money || b.usage.calls - a.usage.calls);
  const series = roles.slice(0, 4).map((role) => ({ name: words(role), values: days.map((day) => lines.filter((one) => one.day === day && one.role === role).reduce((sum, one) => sum + one.usage.calls, 0)) }));
  const columns = [
    { name: "role", title: "For", show: (one) => words(one.role) }, { name: "job", title: "Job", show: (one) => words(one.job || "–") }, { name: "session", title: "Session", wide: true, show: (one) => (one.session ? html`<a href=${link("sessions", [one.session])}>${one.session}</a>` : "–") },
    { name: "calls", title: "Calls", number: true, show: (one) => number(one.usage.calls) }, { name: "in", title: "Tokens read", number: true, show: (one) => brief(one.usage.tokens_in) }, { name: "out", title: "Tokens written", number: true, show: (one) => brief(one.usage.tokens_out) }, { name: "money", title: "Cost", number: true, show: (one) => priced(one.usage) },
  ];
  const log = link("calls", [], { tab: "log" });
  return html`<div class="figures"><${Figure} label="Calls" value=${brief(all.calls)} href=${log} /><${Figure} label="Cost" value=${money(all.money)} href=${log} note=${all.unpriced ? `${plural(all.unpriced, "call")} of unknown price` : ""} /><${Figure} label="Tokens read" value=${brief(all.tokens_in)} href=${log} /><${Figure} label="Tokens written" value=${brief(all.tokens_out)} href=${log} /></div>
    <${Card} title="Calls by day"><${Columns} days=${days} series=${series} label=${`${plural(all.calls, "call")} in ${days.length} days.`} /></>
    <${Card} title="What for"><${Table} caption="Calls by role, job and session" columns=${columns} rows=${rows} keyOf=${(one) => one.key} /></>`;
}

async function erased() {
  if (!(await confirmed({ title: "Erase all questions and answers?", text: "They go for good, from the files too. What the calls have cost stays in the ledger, and no memory is touched.", action: "Erase for good", danger: true }))) return;
  const receipt = await act(() => del("/calls"));
  if (receipt) { said(`${plural(receipt.count, "call")} erased`); go("calls", [], { tab: "log" }); }
}

const HOW = html`<pre class="steps">[record]
calls = true
calls_days = 7</pre>`;

function Log({ session }) {
  const load = useLoad((signal) => get("/calls", { session }, { signal }), [session]);
  return html`<${Loaded} of=${load}>${(first) => html`<${Listed} first=${first} session=${session} />`}</>`;
}

function Listed({ first, session }) {
  const [more, set] = useState([]);
  useEffect(() => set([]), [first]);
  const calls = [first, ...more].flatMap((one) => one.calls), next = [first, ...more].at(-1).next;
  const older = () => get("/calls", { session, cursor: next }).then((part) => set([...more, part]), failed);
  const columns = [
    { name: "at", title: "When", show: (one) => html`<a href=${link("calls", [one.id])}><${Time} at=${one.at} /></a>` }, { name: "role", title: "For", show: (one) => words(one.role) }, { name: "job", title: "Job", show: (one) => words(one.job || "–") },
    { name: "model", title: "Model", wide: true, show: (one) => one.model || "–" }, { name: "status", title: "Ended", show: (one) => html`<${Badge} tone=${TONES[one.status] || ""}>${ENDED[one.status] || words(one.status)}</>` },
    { name: "tokens", title: "Tokens", number: true, show: (one) => brief(one.usage.tokens_in + one.usage.tokens_out) }, { name: "money", title: "Cost", number: true, show: (one) => priced(one.usage) }, { name: "took", title: "Took", number: true, show: (one) => `${(one.milliseconds / 1000).toFixed(1)} s` },
  ];
  if (!calls.length && !first.kept) return html`<${Card}><${Empty} icon="eye" title="Questions and answers are not kept">Only what models cost is counted. To read later what a model was shown and what it wrote, without secrets and for some days, set in <code>recollect.toml</code> and start the server again: ${HOW}</></>`;
  if (!calls.length) return html`<${Card}><${Empty} icon="calls" title=${session ? "No model was asked for this conversation" : "No model was asked yet"}>From now on every question to a model stands here with its answer, until it is cut after some days or erased.</></>`;
  return html`${!first.kept && html`<p class="note"><${Icon} name="alert" size=${16} /> New calls are not kept any more; these are left from before.</p>`}${session && html`<p class="soft">Of the conversation <a href=${link("sessions", [session])}>${session}</a>. <a href=${link("calls", [], { tab: "log" })}>Show all</a></p>`}
    <${Card} title="The latest first" aside=${html`<${Button} small tone="quiet" icon="trash" onClick=${erased}>Erase all</>`}><${Table} caption="Questions to models" columns=${columns} rows=${calls} onOpen=${(one) => go("calls", [one.id])} />${next && html`<div class="line centre"><${Button} onClick=${older}>Show more</></div>`}</>`;
}

// JSON is easier to read on several lines; all else is shown as it is.
function laid(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function One({ id }) {
  const load = useLoad((signal) => get(`/calls/${slot(id)}`, {}, { signal }), [id]);
  return html`<a class="crumb" href=${link("calls", [], { tab: "log" })}><${Icon} name="back" size=${15} /> Questions and answers</a><${Loaded} of=${load} lines=${8}>${(call) => html`<${Head} title=${`A question for the ${words(call.role)}`} lead=${moment(call.at)} />
    <div class="aside-right"><div class="stack">${call.reason && html`<p class="note"><${Icon} name="alert" size=${16} /> ${call.reason}</p>`}<${Said} title="Instructions" text=${call.instructions} /><${Said} title="What it was shown" text=${call.data} /><${Said} title="What it wrote" text=${laid(call.answer)} none="Nothing came back." /></div>
    <${Card} title="About"><dl class="pairs">${[["Ended", html`<${Badge} tone=${TONES[call.status] || ""}>${ENDED[call.status] || words(call.status)}</>`], ["Model", call.model], ["Prompt", call.version || words(call.name)], ["Job", words(call.job)], ["Session", call.session && html`<a href=${link("sessions", [call.session])}>${call.session}</a>`], ["Took", `${(call.milliseconds / 1000).toFixed(1)} s`], ["Requests", number(call.usage.calls)], ["Tokens read", number(call.usage.tokens_in)], ["Tokens written", number(call.usage.tokens_out)], ["Cost", priced(call.usage)]].filter(([, value]) => value).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl></></div>`}</>`;
}

function Said({ title, text, none = "Nothing." }) {
  return html`<${Card} title=${title}>${text ? html`<pre class="whole" dir="auto" tabindex="0" aria-label=${title}>${text}</pre>` : html`<p class="soft">${none}</p>`}</>`;
}
