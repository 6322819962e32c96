// Columns by day, stacked by kind, drawn by uPlot, which is loaded when the first chart is.
import { html, useEffect, useRef, number } from "./ui.js";
import { theme } from "./shortcuts.js";

const TONES = [1, 0.62, 0.36, 0.2];
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function mixed(color, alpha) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

// `days` are ISO dates; `series` are { name, values }, one number a day. What hears the page gets the totals.
export function Columns({ days, series, height = 180, label }) {
  const box = useRef();
  const dress = theme.value;
  useEffect(() => {
    let chart, gone = false;
    const watch = new ResizeObserver(([entry]) => chart?.setSize({ width: Math.floor(entry.contentRect.width), height }));
    import("../vendor/uplot.js").then(({ default: Plot }) => {
      if (gone || !box.current) return;
      const stacked = series.map((_, at) => days.map((_, place) => series.slice(0, at + 1).reduce((sum, one) => sum + one.values[place], 0)));
      const shown = stacked.map((values, at) => ({ label: series[at].name, fill: mixed(token("--accent"), TONES[at % 4]), stroke: "transparent", width: 0, points: { show: false }, paths: Plot.paths.bars({ size: [0.72, 26], radius: 0.18 }) })).reverse();
      const axis = { stroke: token("--ink-faint"), font: "12px system-ui", ticks: { show: false } };
      chart = new Plot({
        width: Math.max(box.current.clientWidth, 100), height, padding: [8, 4, 0, 0], legend: { show: false }, cursor: { show: false }, select: { show: false },
        scales: { x: { time: true, range: (_, first, last) => [first - 43200, last + 43200] }, y: { range: (_, __, most) => [0, Math.max(most * 1.08, 4)] } },
        axes: [{ ...axis, grid: { show: false }, size: 30, space: 70, values: (_, at) => at.map((one) => new Date(one * 1000).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" })) }, { ...axis, size: 44, grid: { stroke: token("--line"), width: 1 }, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000], values: (_, at) => at.map((one) => number(one)) }],
        series: [{}, ...shown],
      }, [days.map((one) => Date.parse(`${one}T00:00:00Z`) / 1000), ...stacked.reverse()], box.current);
      watch.observe(box.current);
    });
    return () => { gone = true; watch.disconnect(); chart?.destroy(); };
  }, [JSON.stringify(days), JSON.stringify(series), dress]);
  return html`<figure class="chart"><div ref=${box} role="img" aria-label=${label} style=${{ minHeight: `${height}px` }}></div>
    <figcaption class="legend">${series.map((one, at) => html`<span key=${one.name}><i class=${`swatch swatch-${at % 4}`}></i>${one.name} <b>${number(one.values.reduce((sum, value) => sum + value, 0))}</b></span>`)}</figcaption></figure>`;
}
