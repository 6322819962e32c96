// Where we are: `#/SPACE/VIEW/ARG…?query`. The address is all there is, so that every view can be linked and gone back to.
import { signal, useEffect } from "./ui.js";

const MARK = "~";
const safe = (text) => encodeURIComponent(text).replaceAll(MARK, "%7E");

// A space as it stands in an address: the user, with the tenant before it where there is one.
export const spaceName = (user, tenant = "") => (tenant ? `${safe(tenant)}${MARK}${safe(user)}` : safe(user));

// The address as it was read last: a link that was followed counts from the browser's event on, which may come late.
let seen = "";

function read() {
  seen = location.hash;
  const [path, query = ""] = seen.replace(/^#\/?/, "").split("?");
  const [space = "", view = "", ...args] = path.split("/");
  const [first, second] = space.split(MARK);
  return {
    space: space || "me",
    user: decode(second ?? (first || "me")),
    tenant: second === undefined ? "" : decode(first),
    view: view || "overview",
    args: args.map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal(read());
addEventListener("hashchange", () => {
  route.value = read();
});

// The address of a view in the space we are in: link("memory", [id], { tab: "history" }).
export function link(view, args = [], query = {}, space = route.value.space) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null && value !== false);
  const tail = given.length ? `?${new URLSearchParams(given)}` : "";
  return `#/${[space, view, ...args.map((one) => encodeURIComponent(one))].join("/")}${tail}`;
}

export function go(view, args = [], query = {}) {
  location.hash = link(view, args, query);
}

// Change the query of the view we are in without a new step in the browser's history.
export function requery(query) {
  history.replaceState(null, "", link(route.value.view, route.value.args, query));
  route.value = read();
}

const place = (hash) => hash.split("?")[0];

// Do something once typing has stopped; not at all when somebody followed a link meanwhile: the view may still stand for a moment.
export function usePause(typed, pause, act) {
  const here = place(seen);
  useEffect(() => {
    const wait = setTimeout(() => place(location.hash) === here && act(), pause);
    return () => clearTimeout(wait);
  }, [typed]);
}
