// What every file of the page builds with: Preact, its hooks, signals, and `html` for templates.
// Text put into a template is always text: nothing here, or anywhere, reads it as markup.
import { h, render, Fragment } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { h, render, Fragment };
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } from "../vendor/hooks.js";
export { signal, computed, effect, batch } from "../vendor/signals.js";
export const html = htm.bind(h);

// Join the names of classes that apply: cls("row", chosen && "chosen").
export const cls = (...names) => names.filter(Boolean).join(" ");

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEPS = [["year", 365 * DAY], ["month", 30 * DAY], ["week", 7 * DAY], ["day", DAY], ["hour", HOUR], ["minute", MINUTE]];
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

// A moment as people say it, "3 days ago"; what is close to now is "just now".
export function since(at, now = Date.now()) {
  const span = new Date(at) - now;
  const step = STEPS.find(([, size]) => Math.abs(span) >= size);
  return step ? ago.format(Math.round(span / step[1]), step[0]) : "just now";
}
export const moment = (at) => full.format(new Date(at));
export const day = (at) => short.format(new Date(at));
export const number = (value) => whole.format(value);
export const brief = (value) => (Math.abs(value) < 10000 ? whole.format(value) : compact.format(value));
export const share = (value) => `${Math.round(value * 100)} %`;
export const money = (millionths) => new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: millionths < 1e6 ? 4 : 2 }).format(millionths / 1e6);
export const plural = (count, one, many = `${one}s`) => `${whole.format(count)} ${count === 1 ? one : many}`;
// The words of a name in code: "derived_from" is "derived from".
export const words = (name) => String(name).replaceAll("_", " ");
