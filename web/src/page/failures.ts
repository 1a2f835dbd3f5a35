import type { Report, Run } from "../data/report.ts";
import { element } from "./dom.ts";
import { readable } from "./numbers.ts";

/** Runs that did not get to their end. */
export function failedRuns(report: Report): Run[] {
  return report.runs.filter(({ data: { summary } }) => summary?.status !== undefined && summary.status !== "done");
}

/** What went wrong, in full, for every run that failed; none did: nothing. */
export function failureBanner(report: Report): HTMLElement | undefined {
  const failed = failedRuns(report);
  if (failed.length === 0) return undefined;
  return element("section", { class: "failures", "aria-label": "What went wrong" }, ...failed.map((run) => failureText(run, report.runs.length > 1)));
}

function failureText({ name, data: { summary } }: Run, named: boolean): HTMLElement {
  const reached = typeof summary?.time === "number" ? ` at ${readable(summary.time)} s` : "";
  const title = `${named ? `${name}: ` : ""}${String(summary?.status)}${reached}`;
  return element("p", {}, element("strong", {}, title), summary?.reason ? ` – ${String(summary.reason)}` : "");
}
