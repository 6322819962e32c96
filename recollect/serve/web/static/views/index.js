// The views, one line each: what the navigation, the palette and the shortcuts are made of.
//
// How a view is added
//   1. Write views/NAME.js with `export default function Name({ args, query })`: `args` are the parts of the address behind
//      the view's name, `query` what stands behind its "?". Import from ../core/… only; a view never imports another view.
//   2. Add its line below. `key` is the letter behind "g"; `admin: true` hides it from keys that may not administer.
//   3. It talks to the server through ../core/api.js alone: get/post/put/patch/del are below /v1/spaces/{user} of the address,
//      `root` is the server. Load with `useLoad((signal) => get("/path", {…}, { signal }), [deps])` and show with <${Loaded} of=${load}>.
//      Write with `await act(() => post("/path", {…}))`: errors become a notice and all loads look again. Then
//      said("What was done", { undo: () => … }): every action has an undo or is confirmed first (core/dialogs.js).
//   4. Begin with <${Head} title lead>; have an <${Empty}> that says what to do first. Text of a memory goes into a template as
//      ${text}, with dir="auto" around it; never through innerHTML (the browser refuses it).
//   5. Styles: classes of app.css; what only one view has goes into its section there. Colours are tokens (var(--ink), …).
//   6. Everything works by keyboard: buttons and links, <${Walk}> for lists, labels on all fields.
export const groups = ["Memory", "Understand", "Care"];
export const views = [
  { name: "overview", title: "Overview", icon: "home", group: "Memory", key: "o", load: () => import("./overview.js") },
  { name: "search", title: "Search", icon: "search", group: "Memory", key: "s", load: () => import("./search.js") },
  { name: "inbox", title: "Inbox", icon: "inbox", group: "Memory", key: "i", load: () => import("./inbox.js") },
  { name: "blocks", title: "Blocks", icon: "blocks", group: "Memory", key: "b", load: () => import("./blocks.js") },
  { name: "memory", title: "Memory", hidden: true, icon: "link", group: "Memory", key: "", load: () => import("./memory.js") },
  { name: "timeline", title: "Timeline", icon: "timeline", group: "Understand", key: "t", load: () => import("./timeline.js") },
  { name: "sessions", title: "Sessions", icon: "sessions", group: "Understand", key: "e", load: () => import("./sessions.js") },
  { name: "people", title: "People and things", icon: "people", group: "Understand", key: "p", load: () => import("./people.js") },
  { name: "context", title: "Context preview", icon: "context", group: "Understand", key: "c", load: () => import("./context.js") },
  { name: "jobs", title: "Jobs", icon: "jobs", group: "Care", key: "j", load: () => import("./jobs.js") },
  { name: "calls", title: "Model calls", icon: "calls", group: "Care", key: "m", load: () => import("./calls.js") },
  { name: "bulk", title: "Bulk", icon: "bulk", group: "Care", key: "u", load: () => import("./bulk.js") },
  { name: "admin", title: "Administration", icon: "admin", group: "Care", key: "a", admin: true, load: () => import("./admin.js") },
];

// The views a key may go to by itself.
export const allowed = (key) => views.filter((one) => !one.hidden && (!one.admin || key?.admin));
