import type { Report, Run } from "../data/report.ts";
import { element, iconButton } from "./dom.ts";
import { failedRuns } from "./failures.ts";
import { helpButton } from "./help.ts";
import { counted, ordinal } from "./numbers.ts";
import type { ThemeSwitch } from "./theme.ts";

const mark = "M3 21 L12 16 L21 21 M3 21 L3 13 L12 8 L21 13 L21 21 M12 16 L12 8 M3 13 L12 3 L21 13";

/** Title, what ran, and the choice of the run that is animated. */
export function pageHead(report: Report, theme: ThemeSwitch, showRun: (run: Run) => void): HTMLElement {
  const animated = report.runs.filter((run) => run.hasPoses);
  return element(
    "header",
    { class: "head" },
    logo(),
    element("div", { class: "title" }, element("h1", {}, report.data.title || "Report"), element("p", {}, subtitle(report))),
    statusChip(report),
    thinnedNote(report),
    leftOutNote(report),
    element("span", { class: "gap" }),
    report.runs.length > 1 && animated.length > 0 && runChoice(animated, showRun),
    element("span", { class: "program" }, report.data.program ?? ""),
    helpButton(),
    iconButton("theme", "Light or dark", () => theme.toggle()),
  );
}

function subtitle(report: Report): string {
  const { description, scene } = report.data;
  if (description) return description;
  const count = `${counted(scene.bodies.length, "body", "bodies")}, ${counted(scene.joints?.length ?? 0, "joint", "joints")}`;
  if (report.isComparison) return `${report.runs.length} runs compared · ${count}`;
  const method = report.runs[0].data.summary?.method ?? report.runs[0].name;
  return `${String(method)} · ${count}`;
}

function statusChip(report: Report): HTMLElement | undefined {
  const statuses = report.runs.map((run) => run.data.summary?.status).filter((status) => typeof status === "string");
  if (statuses.length === 0) return undefined;
  const failed = failedRuns(report);
  if (failed.length === 0) return element("span", { class: "status" }, "done");
  const [bad] = failed;
  const status = String(bad.data.summary?.status);
  const text = failed.length > 1 ? `${failed.length} of ${report.runs.length} failed` : report.runs.length > 1 ? `${bad.name}: ${status}` : status;
  return element("span", { class: "status bad", title: String(bad.data.summary?.reason ?? "") }, text);
}

function thinnedNote(report: Report): HTMLElement | undefined {
  const { thinned = 1 } = report.data;
  if (thinned <= 1) return undefined;
  const text = `every ${ordinal(thinned)} sample, and the last`;
  return element("span", { class: "status", title: `To keep this file small it holds ${text} of the run.` }, text);
}

function leftOutNote(report: Report): HTMLElement | undefined {
  const groups = [...new Set(report.runs.flatMap((run) => run.data.left_out ?? []))];
  if (groups.length === 0) return undefined;
  const list = new Intl.ListFormat("en").format(groups);
  const title = `The mechanism is large: to keep this file small, the series of ${list} are not in it. The results of the run have them.`;
  return element("span", { class: "status", title }, `without series of ${list}`);
}

function runChoice(runs: Run[], showRun: (run: Run) => void): HTMLElement {
  const choice = element("select", { "aria-label": "Run that is animated" }, ...runs.map((run, i) => element("option", { value: i }, run.name)));
  choice.addEventListener("change", () => showRun(runs[Number(choice.value)]));
  return element("label", { class: "run-choice" }, "Animated", choice);
}

function logo(): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "logo");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "Sarrus");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", mark);
  svg.append(path);
  return svg;
}
