// A graph drawn by sigma, which is loaded when the first one is. Places come from the server; what is new grows out of what was clicked.
import { html, useEffect, useRef } from "./ui.js";
import { theme } from "./shortcuts.js";
import { Icon } from "./icons.js";

const LASTING = 320, NAMED = 24;
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const TONES = { person: "--accent", location: "--good", organization: "--warn", name: "--ink-faint" };
export const toneOf = (type) => TONES[type] || "--ink-soft";

// A colour let through: sigma blends nothing, so that it is mixed with the ground here.
function mixed(name, share) {
  const [ink, ground] = [token(name), token("--card")].map((one) => [1, 3, 5].map((at) => parseInt(one.slice(at, at + 2), 16)));
  return `#${ink.map((one, at) => Math.round(one * share + ground[at] * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

const libraries = () => import("../vendor/graph.js");

// A name with a rim of the ground's colour, so that it can be read above lines and other names.
function labelled(context, data, settings) {
  if (!data.label) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = token("--card");
  context.fillStyle = token("--ink");
  const at = [data.x + data.size + 4, data.y + settings.labelSize / 3];
  context.strokeText(data.label, ...at);
  context.fillText(data.label, ...at);
}

// The name of what is pointed at, on the card's own colour.
function hovered(context, data, settings) {
  context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
  const size = settings.labelSize, wide = context.measureText(data.label).width;
  context.fillStyle = token("--card");
  context.strokeStyle = token("--line-strong");
  context.beginPath();
  context.roundRect(data.x + data.size + 1, data.y - size, wide + 16, size * 2, 7);
  context.fill();
  context.stroke();
  context.fillStyle = token("--ink");
  context.fillText(data.label, data.x + data.size + 8, data.y + size / 3);
}

// `nodes` are { id, name, type, mentions, x, y }, `edges` { first, second, together }; `chosen` stands out, `onPick` gets an id.
export function Graph({ nodes, edges, chosen, onPick, label }) {
  const box = useRef(), made = useRef(null), pick = useRef(onPick), latest = useRef();
  const dress = theme.value;
  pick.current = onPick;
  latest.current = { nodes, edges, chosen };
  useEffect(() => {
    let gone = false;
    const calm = (event) => { if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); }; // the wheel scrolls the page
    box.current.addEventListener("wheel", calm, true);
    libraries().then(({ Graph: Store, Sigma }) => {
      if (gone || !box.current) return;
      const graph = new Store({ type: "undirected" });
      const drawn = new Sigma(graph, box.current, {
        labelFont: token("--font") || "sans-serif", labelSize: 12, labelWeight: "500", labelColor: { color: token("--ink") }, labelDensity: 0.7, labelGridCellSize: 90, labelRenderedSizeThreshold: 5,
        defaultDrawNodeLabel: labelled, defaultDrawNodeHover: hovered, zIndex: true, minCameraRatio: 0.05, maxCameraRatio: 4, stagePadding: 64, hideEdgesOnMove: true, allowInvalidContainer: true,
      });
      drawn.on("clickNode", ({ node }) => pick.current?.(node));
      drawn.on("enterNode", () => { box.current.style.cursor = "pointer"; });
      drawn.on("leaveNode", () => { box.current.style.cursor = ""; });
      made.current = { graph, drawn, stop: () => {} };
      laid(made.current, latest.current);
    });
    return () => { gone = true; box.current?.removeEventListener("wheel", calm, true); made.current?.stop(); made.current?.drawn.kill(); made.current = null; };
  }, [dress]);
  useEffect(() => { if (made.current) laid(made.current, latest.current); }, [nodes, edges, chosen]);
  const zoom = (by) => made.current?.drawn.getCamera().animate({ ratio: made.current.drawn.getCamera().ratio * by }, { duration: 200 });
  const fit = () => made.current?.drawn.getCamera().animatedReset({ duration: 200 });
  return html`<div class="graph"><div class="graph-box" ref=${box} role="img" aria-label=${label}></div>
    <div class="graph-tools"><button class="plain" title="Nearer" aria-label="Nearer" onClick=${() => zoom(0.66)}><${Icon} name="plus" /></button><button class="plain" title="Further away" aria-label="Further away" onClick=${() => zoom(1.5)}><${Icon} name="minus" /></button><button class="plain" title="All of it" aria-label="All of it" onClick=${fit}><${Icon} name="fit" /></button></div></div>`;
}

// Put into the graph what is shown now; what stays moves to its new place, what is new starts where it was chosen.
function laid(made, { nodes, edges, chosen }) {
  const { graph, drawn } = made, wanted = new Map(nodes.map((one) => [one.id, one]));
  const many = nodes.length > 150, most = Math.max(...nodes.map((one) => one.mentions), 1), strongest = Math.max(...edges.map((one) => one.together), 1);
  const from = graph.hasNode(chosen) ? graph.getNodeAttributes(chosen) : null, fresh = graph.order === 0;
  made.stop();
  graph.forEachNode((id) => wanted.has(id) || graph.dropNode(id));
  for (const one of nodes) {
    const look = { label: one.name.length > 42 ? `${one.name.slice(0, 40)}…` : one.name, size: (many ? 2 : 5) + (many ? 7 : 11) * Math.sqrt(one.mentions / most), color: one.id === chosen ? token("--bad") : token(toneOf(one.type)), forceLabel: one.id === chosen || nodes.length <= NAMED, zIndex: one.id === chosen ? 1 : 0 };
    if (graph.hasNode(one.id)) graph.mergeNodeAttributes(one.id, look);
    else graph.addNode(one.id, { ...look, x: fresh || !from ? one.x : from.x, y: fresh || !from ? one.y : from.y });
  }
  graph.clearEdges();
  for (const one of edges) if (graph.hasNode(one.first) && graph.hasNode(one.second)) {
    const near = one.first === chosen || one.second === chosen;
    graph.mergeEdge(one.first, one.second, { size: (many ? 0.4 : 0.8) + (many ? 1 : 3) * (one.together / strongest), color: mixed(near ? "--accent" : "--ink-faint", near ? 0.55 : many ? 0.16 : 0.26), zIndex: near ? 1 : 0 });
  }
  made.stop = fresh ? () => {} : moved(graph, wanted);
  drawn.refresh();
  drawn.getContainer().dataset.drawn = `${nodes.length}.${edges.length}`; // so that it can be told when it was drawn anew
}

function moved(graph, wanted) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) { for (const [id, one] of wanted) graph.mergeNodeAttributes(id, { x: one.x, y: one.y }); return () => {}; }
  const before = new Map([...wanted.keys()].map((id) => [id, graph.getNodeAttributes(id)]).map(([id, one]) => [id, [one.x, one.y]])), begun = performance.now();
  let frame;
  const step = (now) => {
    const share = Math.min(1, Math.max(0, (now - begun) / LASTING)), eased = 1 - (1 - share) ** 3;
    graph.updateEachNodeAttributes((id, look) => { const [x, y] = before.get(id), to = wanted.get(id); return { ...look, x: x + (to.x - x) * eased, y: y + (to.y - y) * eased }; }, { attributes: ["x", "y"] });
    if (share < 1) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}
