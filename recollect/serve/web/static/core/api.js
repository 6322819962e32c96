// The REST interface, the only thing the page knows: get, post, put, patch, del of a space, or `root` of the server.
import { signal, useEffect, useState, useCallback, useRef } from "./ui.js";
import { route } from "./router.js";
import { failed } from "./notices.js";

export const session = signal(undefined);
export const spaces = signal([]);
// Counts changes made here: views that load with `useLoad` look again when it moves.
export const changed = signal(0);

export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.status = status;
    this.title = problem.title || "That did not work";
  }
}

async function call(method, path, { body, headers = {}, signal: stop } = {}) {
  const given = { ...headers };
  if (body !== undefined) given["content-type"] = "application/json";
  if (session.value?.csrf) given["recollect-csrf"] = session.value.csrf;
  let answer;
  try {
    answer = await fetch(path, { method, headers: given, body: body === undefined ? undefined : JSON.stringify(body), signal: stop, cache: "no-store", credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { title: "The server does not answer", detail: "Is `recollect serve` still running? Nothing was changed." });
  }
  if (answer.ok) return answer.headers.get("content-type")?.includes("json") ? answer.json() : answer.text();
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && session.value) session.value = null;
  throw new Refused(answer.status, problem);
}

// A header holds plain letters only: all else is percent-encoded, as the server expects.
function place(at, extra = {}) {
  const named = { "recollect-tenant": at.tenant, "recollect-session": extra.session, "recollect-agent": extra.agent, "recollect-project": extra.project };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value).map(([name, value]) => [name, encodeURIComponent(value)]));
}

function queried(params = {}) {
  const made = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== null && value !== "") for (const one of [].concat(value)) made.append(name, one);
  const text = made.toString();
  return text ? `?${text}` : "";
}

// Everything below is of the space the address names. `as` says for which session, agent or project: { as: { session } }.
const inside = (path) => `/v1/spaces/${encodeURIComponent(route.value.user)}${path}`;
const send = (method) => (path, body = {}, { as, signal: stop } = {}) => call(method, inside(path), { body, headers: place(route.value, as), signal: stop });
export const get = (path, params, { as, signal: stop } = {}) => call("GET", inside(path) + queried(params), { headers: place(route.value, as), signal: stop });
export const post = send("POST"), put = send("PUT"), patch = send("PATCH");
export const del = (path, params, { as } = {}) => call("DELETE", inside(path) + queried(params), { headers: place(route.value, as) });
export const slot = encodeURIComponent;
// Which of these memories a newer one may have taken the place of: { id: newer id }.
export const outdated = (memories, stop) => (memories.length ? post("/memories/outdated", { ids: [...new Set(memories.map((one) => one.id))] }, { signal: stop }) : {});
// The server's own routes: root.get("/v1/spaces"), root.post("/ui/session", { key }).
export const root = {
  get: (path, params) => call("GET", path + queried(params), { headers: place(route.value) }),
  post: (path, body = {}) => call("POST", path, { body, headers: place(route.value) }),
  put: (path, body = {}) => call("PUT", path, { body, headers: place(route.value) }),
  del: (path) => call("DELETE", path, { headers: place(route.value) }),
  as: (tenant) => ({ post: (path, body = {}) => call("POST", path, { body, headers: place({ tenant }) }) }),
};

// Load for a view: { data, error, loading, reload }. `load` gets an AbortSignal; what is outdated is let go.
export function useLoad(load, deps) {
  const [state, set] = useState({ loading: true });
  const [turn, again] = useState(0);
  const space = route.value.space, writes = changed.value;
  const last = useRef();
  useEffect(() => {
    const stop = new AbortController();
    const key = JSON.stringify([space, ...deps]);
    set((old) => (last.current === key ? { ...old, loading: true } : { loading: true, data: undefined, stale: old.data }));
    last.current = key;
    load(stop.signal).then(
      (data) => stop.signal.aborted || set({ data, loading: false }),
      (error) => stop.signal.aborted || error.name === "AbortError" || set({ error, loading: false }),
    );
    return () => stop.abort();
  }, [space, writes, turn, ...deps]);
  return { ...state, reload: useCallback(() => again((one) => one + 1), []) };
}

// Do something that writes: errors become a notice, views look again afterwards. Gives the answer, or undefined.
export async function act(doing) {
  try {
    const answer = await doing();
    changed.value++;
    return answer ?? true;
  } catch (error) {
    failed(error);
    return undefined;
  }
}
