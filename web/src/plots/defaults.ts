import type { Entry } from "../data/catalog.ts";
import type { Report } from "../data/report.ts";
import type { PanelSettings } from "./lines.ts";

const mostJoints = 4;
const straight = 1e-6; // times its length: a path that is no wider is rounding noise across

/** What is plotted when the page opens: energy, constraints, first joint coordinates, one path. */
export function defaultPanels(report: Report): PanelSettings[] {
  const panels: PanelSettings[] = [];
  const add = (entries: (Entry | undefined)[], logarithmic = false, against?: Entry) => {
    const present = entries.filter((entry) => entry !== undefined);
    if (present.length) panels.push({ entries: present, logarithmic, against });
  };
  const { catalog } = report;
  const energy = report.isComparison ? ["drift"] : ["kinetic", "potential", "total", "supplied"];
  add(energy.map((name) => catalog.find("energy", "", name)));
  const norms = report.isComparison ? ["position"] : ["position", "velocity", "acceleration"];
  add(norms.map((name) => catalog.find("constraints", "", name)), true);
  add(firstCoordinates(report));
  const path = widestPath(report);
  if (path) add([path.y], false, path.x);
  if (panels.length === 0) add([catalog.entries[0]]);
  return panels;
}

function firstCoordinates(report: Report): Entry[] {
  const positions = report.catalog.entries.filter((entry) => entry.group === "joints" && entry.name.endsWith("position"));
  const unit = positions[0]?.unit;
  return positions.filter((entry) => entry.unit === unit).slice(0, report.isComparison ? 1 : mostJoints);
}

/** The two axes along which the body that gets around most does so. */
function widestPath(report: Report): { x: Entry; y: Entry } | undefined {
  const run = report.runs.find((other) => other.hasPoses);
  if (!run) return undefined;
  const motion = run.motion();
  let best: { body: number; spans: number[] } | undefined;
  const stride = Math.max(1, Math.floor(motion.samples / 50));
  for (let body = 0; body < motion.bodies; ++body) {
    const spans = spansOf(motion.path(body, stride));
    if (!best || second(spans) > second(best.spans)) best = { body, spans };
  }
  if (!best || second(best.spans) <= straight * Math.max(...best.spans)) return undefined;
  const { spans, body } = best;
  const axes = [0, 1, 2].sort((a, b) => spans[b] - spans[a]).slice(0, 2).sort();
  const name = report.data.scene.bodies[body].name;
  const [x, y] = axes.map((axis) => report.catalog.find("bodies", name, ["px", "py", "pz"][axis]));
  return x && y ? { x, y } : undefined;
}

function spansOf(path: Float32Array): number[] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  path.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  return high.map((value, axis) => (value >= low[axis] ? value - low[axis] : 0));
}

function second(spans: number[]): number {
  return [...spans].sort((a, b) => b - a)[1];
}
