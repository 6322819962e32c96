import { html } from "../core/ui.js";
import { Head, Empty } from "../core/parts.js";

export default function View() {
  return html`<${Head} title="Administration" /><${Empty} title="Not built yet">This view is being made.</>`;
}
