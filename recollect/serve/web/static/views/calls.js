// Model calls: what asking models has cost, day by day and by what for.
import { html, number, brief, money, plural, words } from "../core/ui.js";
import { Head, Card, Loaded, Empty, Figure, Select, Table } from "../core/parts.js";
import { get, useLoad } from "../core/api.js";
import { link, requery } from "../core/router.js";
import { Columns } from "../core/charts.js";

const SPANS = [["7", "7 days"], ["30", "30 days"], ["90", "90 days"], ["365", "a year"]];
const past = (days) => Array.from({ length: days }, (_, at) => new Date(Date.now() - (days - 1 - at) * 864e5).toISOString().slice(0, 10));
const added = (sum, one) => ({ calls: sum.calls + one.calls, tokens_in: sum.tokens_in + one.tokens_in, tokens_out: sum.tokens_out + one.tokens_out, money: sum.money + one.money, unpriced: sum.unpriced + one.unpriced });
const NOTHING = { calls: 0, tokens_in: 0, tokens_out: 0, money: 0, unpriced: 0 };

export default function Calls({ query }) {
  const span = query.days || "30", days = past(Number(span));
  const load = useLoad((signal) => get("/costs", { since: days[0] }, { signal }), [span]);
  return html`<${Head} title="Model calls" lead="Which models were asked, for what, and what it cost."><${Select} label="How far back" value=${span} options=${SPANS} onChange=${(next) => requery({ days: next })} /></>
    <${Loaded} of=${load}>${(lines) => (lines.length ? html`<${Spent} lines=${lines} days=${days} />` : html`<${Card}><${Empty} icon="calls" title="No model was asked">Memory works without one. With a model set, such as <code>llm = "openai:…"</code> in <code>recollect.toml</code>, what it is asked and what that costs is told here. A budget can be set there too.</></>`)}</>`;
}

function Spent({ lines, days }) {
  const all = lines.reduce((sum, one) => added(sum, one.usage), NOTHING), roles = [...new Set(lines.map((one) => one.role))];
  const groups = new Map();
  for (const one of lines) { const key = JSON.stringify([one.role, one.job, one.session]); groups.set(key, { ...one, key, usage: added(groups.get(key)?.usage || NOTHING, one.usage) }); }
  const rows = [...groups.values()].sort((a, b) => b.usage.money - a.usage.money || b.usage.calls - a.usage.calls);
  const series = roles.slice(0, 4).map((role) => ({ name: words(role), values: days.map((day) => lines.filter((one) => one.day === day && one.role === role).reduce((sum, one) => sum + one.usage.calls, 0)) }));
  const columns = [
    { name: "role", title: "For", show: (one) => words(one.role) }, { name: "job", title: "Job", show: (one) => words(one.job || "–") }, { name: "session", title: "Session", wide: true, show: (one) => (one.session ? html`<a href=${link("sessions", [one.session])}>${one.session}</a>` : "–") },
    { name: "calls", title: "Calls", number: true, show: (one) => number(one.usage.calls) }, { name: "in", title: "Tokens read", number: true, show: (one) => brief(one.usage.tokens_in) }, { name: "out", title: "Tokens written", number: true, show: (one) => brief(one.usage.tokens_out) }, { name: "money", title: "Cost", number: true, show: (one) => (one.usage.unpriced === one.usage.calls ? "unknown" : money(one.usage.money)) },
  ];
  return html`<div class="figures"><${Figure} label="Calls" value=${brief(all.calls)} href=${link("calls")} /><${Figure} label="Cost" value=${money(all.money)} href=${link("calls")} note=${all.unpriced ? `${plural(all.unpriced, "call")} of unknown price` : ""} /><${Figure} label="Tokens read" value=${brief(all.tokens_in)} href=${link("calls")} /><${Figure} label="Tokens written" value=${brief(all.tokens_out)} href=${link("calls")} /></div>
    <${Card} title="Calls by day"><${Columns} days=${days} series=${series} label=${`${plural(all.calls, "call")} in ${days.length} days.`} /></>
    <${Card} title="What for"><${Table} caption="Calls by role, job and session" columns=${columns} rows=${rows} keyOf=${(one) => one.key} /></>`;
}
