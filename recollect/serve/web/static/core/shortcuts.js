// Keys that work everywhere: "/" finds, Ctrl-K opens the palette, "g" and a letter goes to a view, "?" tells them all.
import { signal } from "./ui.js";
import { go } from "./router.js";
import { views } from "../views/index.js";

export const palette = signal(false);
export const help = signal(false);
export const theme = signal(localStorage.getItem("theme") || "");
const DOUBLE = 1200;
let led = 0;

export function dressed(next) {
  theme.value = next;
  next ? localStorage.setItem("theme", next) : localStorage.removeItem("theme");
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
}
if (theme.value) document.documentElement.dataset.theme = theme.value;

export const dark = () => (theme.value ? theme.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    palette.value = !palette.value;
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input,textarea,select,dialog,[contenteditable]")) return;
  const view = Date.now() - led < DOUBLE && views.find((one) => one.key === event.key);
  led = 0;
  if (view) go(view.name);
  else if (event.key === "g") led = Date.now();
  else if (event.key === "?") help.value = true;
  else if (event.key === "/") {
    event.preventDefault();
    const field = document.querySelector("[data-find]");
    field ? field.focus() : go("search");
  }
});
