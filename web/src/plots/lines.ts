import type { Entry } from "../data/catalog.ts";
import type { CsvColumn } from "../data/csv.ts";
import type { Report, Run } from "../data/report.ts";
import { lineColor } from "../stage/colors.ts";

/** What a panel shows; changed by its buttons and the picker. */
export interface PanelSettings {
  entries: Entry[];
  /** The quantity along the horizontal axis; none: time. */
  against?: Entry | undefined;
  logarithmic: boolean;
}

/** One curve: a quantity of one run. */
export interface Curve {
  entry: Entry;
  run: Run;
  label: string;
  color: string;
  dash: number[];
  width: number;
  times: Float64Array;
  x: Float64Array;
  y: Float64Array;
}

const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];
// Runs often agree to the pixel: each is drawn over those before it, narrower and with more of them left to see.
const runDashes = [[], [14, 8], [7, 7], [3, 7], [1, 7]];
const runWidths = [4.2, 2.6, 2, 1.6];
const lineWidth = 1.6;

/** The curves of a panel. One run: a colour for each quantity; several: a colour and a width for each run, dashes tell runs or, if there are several, quantities apart. */
export function curvesOf(report: Report, settings: PanelSettings, runs: Run[]): Curve[] {
  const curves: Curve[] = [];
  const several = report.runs.length > 1;
  settings.entries.forEach((entry, i) => {
    for (const run of runs) {
      const y = report.catalog.values(entry, run);
      const x = settings.against ? report.catalog.values(settings.against, run) : run.times;
      if (!x || !y) continue;
      curves.push({
        entry,
        run,
        label: curveLabel(entry, several && run, settings.entries.length > 1),
        color: lineColor(several ? run.index : i),
        dash: several ? dashOf(i, runs.indexOf(run), settings.entries.length) : [],
        width: runs.length > 1 ? (runWidths[runs.indexOf(run)] ?? lineWidth) : lineWidth,
        times: run.times,
        x,
        y,
      });
    }
  });
  return curves;
}

function dashOf(entry: number, run: number, entries: number): number[] {
  return entries > 1 ? dashes[entry % dashes.length] : runDashes[run % runDashes.length];
}

/** How far neighbouring values may be apart to be joined: turns go from π to −π without the body doing so. */
export function wrapOf(entry: Entry): number {
  return /(^|\s)r[xyz](\s|$)/.test(entry.name) ? Math.PI : Infinity;
}

function curveLabel(entry: Entry, run: Run | false, severalEntries: boolean): string {
  if (!run) return entry.label;
  return severalEntries ? `${run.name} · ${entry.label}` : run.name;
}

export function panelTitle(settings: PanelSettings): string {
  const { entries, against } = settings;
  if (entries.length === 0) return "Nothing chosen yet";
  if (against) {
    const names = [...new Set(entries.map((entry) => entry.label))].slice(0, 3).join(", ");
    return `${names} over ${against.label}`;
  }
  if (entries.length === 1) return titled(entries[0]);
  const groups = new Set(entries.map((entry) => entry.group));
  const elements = new Set(entries.map((entry) => entry.element));
  const names = new Set(entries.map((entry) => entry.name));
  if (elements.size === 1 && entries[0].element) return `${entries[0].element}: ${[...names].slice(0, 4).join(", ")}`;
  if (names.size === 1) return `${[...groups].map(groupTitle).join(", ")}: ${[...names][0]}`;
  return [...groups].map(groupTitle).join(", ");
}

function titled(entry: Entry): string {
  if (entry.element) return entry.label;
  return entry.group === "constraints" ? `Constraints: ${entry.name}` : `${groupTitle(entry.group)}: ${entry.label}`;
}

function groupTitle(group: string): string {
  return group === "constraints" ? "Constraint norms" : capital(group);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The panel as columns of a table. */
export function csvColumns(curves: Curve[], settings: PanelSettings, severalRuns: boolean): CsvColumn[] {
  const columns: CsvColumn[] = [];
  const prefix = (curve: Curve) => (severalRuns ? `${curve.run.name}: ` : "");
  const seen = new Set<Run>();
  for (const curve of curves) {
    if (settings.against && !seen.has(curve.run)) {
      seen.add(curve.run);
      columns.push({ name: prefix(curve) + fullName(settings.against), times: curve.times, values: curve.x });
    }
    columns.push({ name: prefix(curve) + fullName(curve.entry), times: curve.times, values: curve.y });
  }
  return columns;
}

function fullName(entry: Entry): string {
  const unit = entry.unit ? ` [${entry.unit}]` : "";
  return `${entry.group} ${entry.element ? `${entry.element} ` : ""}${entry.name}${unit}`;
}
