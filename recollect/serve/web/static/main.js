// The beginning: ask who is looking, then show the page.
import { html, render } from "./core/ui.js";
import { App, known } from "./core/shell.js";
import { root, session } from "./core/api.js";

render(html`<${App} />`, document.getElementById("app"));
try {
  await known(await root.get("/ui/session"));
} catch (error) {
  session.value = error.status === 401 ? null : { error };
}
