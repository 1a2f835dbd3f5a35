import type { Report } from "../data/report.ts";
import { element } from "../page/dom.ts";
import { readable } from "../page/numbers.ts";

interface Line {
  label: string;
  path: string[];
  unit?: string;
}

const line = (label: string, path: string, unit = ""): Line => ({ label, path: path.split("."), unit });

// What the program writes, in the order one asks for it. What is not named here is shown under "More".
const sections: [string, Line[]][] = [
  ["Result", [line("Model", "model"), line("Status", "status"), line("Reason", "reason"), line("Time reached", "time", "s")]],
  [
    "Mechanism",
    [
      line("Bodies", "bodies"),
      line("Joints", "joints"),
      line("Loops", "loops"),
      line("Freedoms", "freedoms"),
      line("Redundant constraints", "redundant"),
    ],
  ],
  [
    "Method",
    [
      line("Method", "method"),
      line("Variant", "variant"),
      line("Asked for", "options.method"),
      line("Integrator", "options.integrator"),
      line("Step", "options.step", "s"),
      line("Tolerance", "options.tolerance"),
      line("Projection", "options.projection_used"),
      line("Projection asked for", "options.projection"),
      line("Threads", "options.threads"),
    ],
  ],
  [
    "Accuracy",
    [
      line("Largest position norm", "largest_constraint_norms.position"),
      line("Largest velocity norm", "largest_constraint_norms.velocity"),
      line("Largest acceleration norm", "largest_constraint_norms.acceleration"),
      line("Energy drift", "energy_drift", "J"),
    ],
  ],
  [
    "Cost",
    [
      line("Steps", "steps"),
      line("Rejected steps", "rejected"),
      line("Evaluations", "evaluations"),
      line("Iterations", "iterations"),
      line("Factorizations", "factorizations"),
      line("Wall time", "wall_seconds", "s"),
      line("Processor time", "cpu_seconds", "s"),
      line("Setup", "setup_wall_seconds", "s"),
    ],
  ],
];

/** The summary of every run, side by side. */
export function summaryPanel(report: Report): HTMLElement {
  const summaries = report.runs.map((run) => run.data.summary ?? {});
  const table = element("table", { class: "facts" });
  if (report.runs.length > 1)
    table.append(element("thead", {}, element("tr", {}, element("th"), ...report.runs.map((run) => element("th", { scope: "col" }, run.name)))));
  const known = new Set(["notes"]);
  for (const [title, lines] of sections) {
    for (const { path } of lines) known.add(path.join("."));
    addSection(table, title, lines, summaries);
  }
  addSection(table, "More", restOf(summaries, known), summaries);
  if (!table.querySelector("tbody")) return element("p", { class: "none" }, "This report has no summary.");
  return element("div", { class: "scroll" }, table);
}

function addSection(table: HTMLElement, title: string, lines: Line[], summaries: Record<string, unknown>[]): void {
  const rows: HTMLElement[] = [];
  for (const { label, path, unit } of lines) {
    const texts = summaries.map((summary) => valueText(lookup(summary, path), unit ?? ""));
    if (texts.every((text) => text === "")) continue;
    rows.push(element("tr", {}, element("th", { scope: "row" }, label), ...texts.map((text) => element("td", { class: text.length > 28 ? "long" : "" }, text))));
  }
  if (rows.length === 0) return;
  const heading = element("tr", { class: "section" }, element("th", { colspan: summaries.length + 1, scope: "rowgroup" }, title));
  table.append(element("tbody", {}, heading, ...rows));
}

function lookup(summary: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], summary);
}

function valueText(value: unknown, unit: string): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return unit ? `${readable(value)} ${unit}` : readable(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((item) => valueText(item, "")).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([key, item]) => `${key} = ${valueText(item, "")}`).join(", ");
  return String(value);
}

function restOf(summaries: Record<string, unknown>[], known: Set<string>): Line[] {
  const lines = new Map<string, Line>();
  const collect = (value: unknown, path: string[]) => {
    const key = path.join(".");
    if (known.has(key)) return;
    if (value && typeof value === "object" && !Array.isArray(value))
      for (const [name, item] of Object.entries(value)) collect(item, [...path, name]);
    else if (path.length) lines.set(key, { label: path.join(", ").replaceAll("_", " "), path });
  };
  for (const summary of summaries) collect(summary, []);
  return [...lines.values()];
}
