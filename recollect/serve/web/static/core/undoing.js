// Say what was done, with a button that takes it back.
import { act, post } from "./api.js";
import { said } from "./notices.js";

// `receipt` is the answer to a write; `then` runs after it was taken back, such as to leave a page that is gone.
export function undoable(text, receipt, then) {
  if (receipt.outcome === "rejected" || receipt.outcome === "failed") return said("Nothing was changed", { detail: receipt.reason });
  const undo = async () => {
    const report = await act(() => post("/changes/take-back", { revision: receipt.rev }));
    if (!report) return;
    said(report.status === "ok" ? "Taken back" : "Could not be taken back", { detail: report.status === "ok" ? "" : report.text });
    then?.();
  };
  return said(text, { detail: (receipt.warnings || []).join(" "), undo: receipt.rev ? undo : undefined });
}
