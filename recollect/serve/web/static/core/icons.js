// Icons as strokes in a square of 24; one line each.
import { html } from "./ui.js";

const STROKES = {
  home: "M4 11.5 12 4l8 7.5M6.5 10v9.5h11V10", search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4",
  timeline: "M4 6h10M4 12h16M4 18h7M18 6h.01M15 18h.01", sessions: "M4 5.5h16v10H9.5L5.5 19v-3.5H4z",
  people: "M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11ZM3.5 19.5c.4-3.3 2.6-5 5.5-5s5.1 1.7 5.5 5M15.5 5a3 3 0 0 1 0 5.8M17 14.8c2 .6 3.2 2.2 3.5 4.7",
  blocks: "M4.5 4.5h15v5h-15zM4.5 13.5h6.5v6h-6.5zM14.5 13.5h5v6h-5z", inbox: "M4 13.5 6.5 5h11L20 13.5V19H4zM4 13.5h4.5l1.2 2.5h4.6l1.2-2.5H20",
  context: "M5 4.5h14v15H5zM8.5 9h7M8.5 12.5h7M8.5 16h4", jobs: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 7.5V12l3 2",
  calls: "M12 4v3M12 17v3M4 12h3M17 12h3M9 9h6v6H9z", bulk: "M4.5 6.5 6 8l2.5-3M11.5 7H20M4.5 12.5 6 14l2.5-3M11.5 13H20M4.5 18.5 6 20l2.5-3M11.5 19H20",
  admin: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3.5v2.5M12 18v2.5M3.5 12H6M18 12h2.5M6 6l1.8 1.8M16.2 16.2 18 18M18 6l-1.8 1.8M7.8 16.2 6 18",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11", menu: "M4 7h16M4 12h16M4 17h16", check: "M5 12.5l4.5 4.5L19 7.5", pin: "M9 4h6l-.7 6 2.7 3H7l2.7-3zM12 13v7",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v5.5M13.5 10.5v5.5", edit: "M5 19l.9-3.9L15.8 5.2l3 3L8.9 18.1zM14 7l3 3",
  back: "M14.5 5.5 8 12l6.5 6.5", forward: "M9.5 5.5 16 12l-6.5 6.5", down: "M5.5 9.5 12 16l6.5-6.5", undo: "M8 5 4.5 8.5 8 12M4.5 8.5H14a5 5 0 0 1 0 10H9",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1", plus: "M12 5v14M5 12h14", minus: "M5 12h14", fit: "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
  history: "M4.5 12a7.5 7.5 0 1 0 2.3-5.4L4.5 8.5M4.5 4.5v4h4M12 8v4.3l3 1.7", quote: "M9.5 7C6.5 8 5 10.2 5 13.2V17h5v-5H7.5M18.5 7c-3 1-4.5 3.2-4.5 6.2V17h5v-5h-2.5",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1", moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z",
  key: "M14.5 13a4.5 4.5 0 1 0-4.2-2.8L4.5 16v3.5H8V17h2.5l1.9-4.4c.6.3 1.3.4 2.1.4ZM15.5 8.5h.01", out: "M10 5H5v14h5M14.5 8.5 18 12l-3.5 3.5M18 12H9.5", eye: "M3.5 12S6.5 6.5 12 6.5 20.5 12 20.5 12 17.5 17.5 12 17.5 3.5 12 3.5 12ZM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  alert: "M12 4 3.5 19h17zM12 10v4M12 16.5h.01", play: "M8 5.5v13l10.5-6.5z", filter: "M4 6h16M7 12h10M10 18h4", question: "M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2M12 17.5h.01", folder: "M4 6.5h6l1.5 2H20v10H4z", spark: "M12 4.5 13.8 10.2 19.5 12l-5.7 1.8L12 19.5l-1.8-5.7L4.5 12l5.7-1.8z",
};

export function Icon({ name, size = 18 }) {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${STROKES[name] || ""} /></svg>`;
}
