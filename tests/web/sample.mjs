// Reports made up for tests of the page alone: every kind of shape and joint, and data with holes.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const marker = "<!--SARRUS_REPORT_DATA-->";
const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const pagePath = join(root, "web", "dist", "report.html");

export const f64 = (values) => ({ f64: Buffer.from(Float64Array.from(values).buffer).toString("base64") });
export const f32 = (values) => ({ f32: Buffer.from(Float32Array.from(values).buffer).toString("base64") });
export const u32 = (values) => ({ u32: Buffer.from(Uint32Array.from(values).buffer).toString("base64") });

/** Writes a report as the program does. */
export function writeReport(path, data) {
  const page = readFileSync(pagePath, "utf8");
  if (page.split(marker).length !== 2) throw new Error("the page must hold the marker exactly once");
  const json = typeof data === "string" ? data : JSON.stringify(data).replaceAll("<", "\\u003c");
  writeFileSync(path, page.replace(marker, () => `<script type="application/json" id="sarrus-report">${json}</script>`));
}

const still = { position: [0, 0, 0], quaternion: [1, 0, 0, 0] };
const types = ["revolute", "prismatic", "helical", "cylindrical", "universal", "spherical", "planar", "free", "fixed"];

/** One body on each type of joint, side by side; each swings a little. */
export function allJoints(samples = 40) {
  const bodies = types.map((type) => ({ name: `${type} body` }));
  const joints = types.map((type, i) => ({
    name: type,
    type,
    parent: -1,
    child: i,
    on_parent: { position: [i, 0, 0], quaternion: [Math.SQRT1_2, Math.SQRT1_2, 0, 0] },
    on_child: { position: [0, 0, 0.6], quaternion: [Math.SQRT1_2, Math.SQRT1_2, 0, 0] },
  }));
  const times = Array.from({ length: samples }, (_, i) => i * 0.05);
  const poses = times.flatMap((time) =>
    types.flatMap((type, i) => {
      const angle = type === "revolute" ? Math.sin(2 * time) : 0;
      const slide = /prismatic|helical|cylindrical/.test(type) ? 0.4 * Math.sin(2 * time) : 0;
      const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
      // The body hangs 0.6 below its joint and turns about y.
      return [i - 0.6 * Math.sin(angle), -slide, -0.6 * Math.cos(angle), c, 0, s, 0];
    }),
  );
  return report("all joints", { bodies, joints, gravity: [0, 0, -9.81], up: [0, 0, 1] }, times, poses);
}

/** Hues of the bodies of allShapes(), in degrees. */
export const shapeHues = [0, 45, 90, 135, 180, 225, 270, 315];
export const deforming = [6, 7];

/** Pure hues in #rrggbb: light changes how bright they are, and hardly which they are. */
function hueColor(hue) {
  const channel = (n) => {
    const k = (n + hue / 60) % 6;
    return Math.round(255 * (1 - Math.max(0, Math.min(k, 4 - k, 1)))).toString(16).padStart(2, "0");
  };
  return `#${channel(5)}${channel(3)}${channel(1)}`;
}

/** Every kind of shape, each on a body of its own and in its own hue; the last two, a mesh and a bar, deform. */
export function allShapes({ samples = 30, turning = true } = {}) {
  const pyramid = {
    kind: "mesh",
    vertices: f32([-0.3, -0.3, 0, 0.3, -0.3, 0, 0.3, 0.3, 0, -0.3, 0.3, 0, 0, 0, 0.7]),
    triangles: u32([0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 0, 2, 1, 0, 3, 2]),
    position: [0, 0, 0],
    quaternion: [1, 0, 0, 0],
  };
  const shapes = [
    { kind: "box", ...still, size: [0.6, 0.4, 0.3] },
    { kind: "sphere", ...still, size: [0.35] },
    { kind: "cylinder", ...still, size: [0.2, 0.8] },
    { kind: "capsule", ...still, size: [0.15, 0.6] },
    { kind: "bar", points: [[-0.4, 0, 0], [0, 0, 0.3], [0.4, 0, 0]], radius: 0.05 },
    pyramid,
    pyramid,
    { kind: "bar", points: [[-0.4, 0, 0], [0, 0, 0], [0.4, 0, 0]], radius: 0.04 },
  ];
  const bodies = shapes.map((shape, i) => ({ name: `${shape.kind} ${i}`, shapes: [{ ...shape, color: hueColor(shapeHues[i]) }] }));
  const times = Array.from({ length: samples }, (_, i) => i * 0.05);
  const half = (time) => (turning ? time / 2 : 0);
  const poses = times.flatMap((time) => shapes.flatMap((_, i) => [i, 0, 0.5, Math.cos(half(time)), 0, 0, Math.sin(half(time))]));
  const data = report("all shapes", { bodies, ground: { shapes: [{ kind: "box", position: [3.5, 0, -0.3], size: [9, 1.4, 0.1] }] }, joints: [], up: [0, 0, 1] }, times, poses);
  const tip = (time) => 0.7 + 0.3 * Math.sin(4 * time);
  data.runs[0].nodes = [
    { body: 6, shape: 0, positions: f32(times.flatMap((time) => [-0.3, -0.3, 0, 0.3, -0.3, 0, 0.3, 0.3, 0, -0.3, 0.3, 0, 0, 0, tip(time)])) },
    { body: 7, shape: 0, positions: f32(times.flatMap((time) => [-0.4, 0, 0, 0, 0, tip(time) - 0.7, 0.4, 0, 0])) },
  ];
  return data;
}

/** Nine balls in the colours that the program gives to bodies, but for the sixth, whose model names a colour. */
export function manyBodies() {
  const source = readFileSync(join(root, "src", "sarrus", "io", "picture", "bodies.cpp"), "utf8");
  const programColors = /kColors = {([^}]*)}/.exec(source)[1].match(/#[0-9a-f]{6}/g);
  const bodies = Array.from({ length: 9 }, (_, i) => {
    const color = i === 5 ? "#ff00ff" : programColors[i % programColors.length];
    return { name: `ball ${i}`, shapes: [{ kind: "sphere", position: [0, 0, 0], size: [0.4], color }] };
  });
  return report("many bodies", { bodies, joints: [], up: [0, 0, 1] }, [0], bodies.flatMap((_, i) => [i, 0, 0, 1, 0, 0, 0]));
}

/** A run broken off at once: one sample, not a number here and there, no shapes, hardly any series. */
export function meagre() {
  const data = report("meagre", { bodies: [{ name: "a" }, { name: "<b>" }], joints: [] }, [0], [0, 0, 0, 1, 0, 0, 0, NaN, 0, 0, 1, 0, 0, 0]);
  data.runs[0].series = [
    { group: "energy", element: "", name: "total", unit: "J", values: f64([NaN]) },
    { group: "constraints", element: "", name: "position", unit: "", values: f64([0]) },
  ];
  return data;
}

/** Three runs with times of their own; one ends early, one has no poses and lacks a series. */
export function comparison() {
  const data = allJoints(60);
  const [first] = data.runs;
  const times = Array.from({ length: 25 }, (_, i) => i * 0.07);
  const series = (name, unit, f) => ({ group: "energy", element: "", name, unit, values: f64(times.map(f)) });
  const second = { ...allJoints(35).runs[0], name: "augmented-dca", events: [{ time: 0.71, text: "singular position passed" }] };
  const third = { name: "reference", summary: { status: "diverged", reason: "the step became too small" }, times: f64(times), poses: "", series: [series("total", "J", (time) => 1 + 0.01 * time)] };
  return {
    ...data,
    kind: "comparison",
    title: "three methods",
    thinned: 3,
    table: {
      columns: [{ name: "method" }, { name: "time per evaluation", unit: "us" }, { name: "status" }],
      rows: [["order-n", 1.25, "done"], ["augmented-dca", 12.5, "done"], ["reference", null, "diverged"]],
      left_out: [{ method: "recursive", reason: "it moves open mechanisms only" }],
    },
    runs: [{ ...first, name: "order-n", left_out: ["bodies", "reactions"] }, { ...second, left_out: ["bodies"] }, third],
  };
}

/** One body, and many samples of it. */
export function longRun(samples = 120_000) {
  const times = Array.from({ length: samples }, (_, i) => i * 1e-4);
  return report("long run", { bodies: [{ name: "body" }], joints: [] }, times, times.flatMap((time) => [Math.cos(time), 0, Math.sin(time), 1, 0, 0, 0]));
}

/** As many quantities as the program compares; how runs ended is not in the table. */
export function wideComparison() {
  const data = comparison();
  const names = ["time per evaluation", "evaluations", "iterations", "wall time", "position", "velocity", "acceleration", "energy drift", "pose distance", "velocity distance"];
  const row = (method) => [method, ...names.map((_, i) => 1.2345e-17 * 10 ** i)];
  return { ...data, table: { columns: [{ name: "method" }, ...names.map((name) => ({ name, unit: "m/s^2, rad/s^2" }))], rows: ["order-n", "augmented-dca", "reference"].map(row) } };
}

function report(title, scene, times, poses) {
  const values = (f) => f64(times.map(f));
  const bodies = scene.bodies.flatMap((body, i) =>
    ["px", "py", "pz"].map((name, axis) => ({
      group: "bodies",
      element: body.name,
      name,
      unit: "m",
      values: f64(times.map((_, sample) => poses[(sample * scene.bodies.length + i) * 7 + axis])),
    })),
  );
  const run = {
    name: "sample",
    summary: { status: "done", bodies: scene.bodies.length },
    times: f64(times),
    poses: f32(poses),
    series: [
      { group: "energy", element: "", name: "total", unit: "J", values: values((time) => 1 + 1e-9 * time) },
      { group: "constraints", element: "", name: "position", unit: "", values: values((time) => 1e-14 * time) },
      ...bodies,
    ],
    events: [],
  };
  return { format: 1, title, program: "sarrus", kind: "run", scene, thinned: 1, runs: [run] };
}
