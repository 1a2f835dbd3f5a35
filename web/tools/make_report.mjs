#!/usr/bin/env node
// Makes sample reports while the page is being worked on: node tools/make_report.mjs OUT.html DIR [DIR …]
//
// DIR is a folder written by `sarrus simulate --out DIR`, with the output of `sarrus expand` beside it as model.yaml.
// Several folders make a comparison. The real reports are written by the program; this only imitates it, and reads just as
// much of a model as the sample scenarios hold.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const pagePath = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "report.html");
const units = {
  energy: () => "J",
  constraints: () => "",
  bodies: (name) => (/^d?w/.test(name) ? (name[0] === "d" ? "rad/s^2" : "rad/s") : { p: "m", v: "m/s", a: "m/s^2" }[name[0]] ?? ""),
  reactions: (name) => (name[0] === "f" ? "N" : "N m"),
  joints: (name) => {
    const length = /^(slide|x|y|z) /.test(name) ? "m" : "rad";
    return length + (name.endsWith("speed") ? "/s" : name.endsWith("acceleration") ? "/s^2" : "");
  },
};

function column(values, kind) {
  const array = kind === "f32" ? Float32Array.from(values) : Float64Array.from(values);
  return { [kind]: Buffer.from(array.buffer).toString("base64") };
}

function readCsv(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return { header: [], rows: [] };
  }
  const [header, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  return { header, rows };
}

/** Series from a table whose rows are (time, key columns …, value columns …). */
function series(group, path, keys, skip = []) {
  const { header, rows } = readCsv(path);
  const found = new Map();
  for (const row of rows)
    for (let i = 1 + keys; i < header.length; ++i) {
      if (skip.includes(header[i])) continue;
      const element = keys > 0 ? row[1] : "";
      const name = keys > 1 ? `${row[2]} ${header[i]}` : header[i];
      const key = `${element}\n${name}`;
      if (!found.has(key)) found.set(key, { group, element, name, unit: units[group](name), values: [] });
      found.get(key).values.push(Number(row[i]));
    }
  return [...found.values()].map((entry) => ({ ...entry, values: column(entry.values, "f64") }));
}

function readRun(folder) {
  const bodies = readCsv(join(folder, "bodies.csv"));
  const energy = readCsv(join(folder, "energy.csv"));
  const poses = bodies.rows.flatMap((row) => row.slice(2, 9).map(Number));
  const summary = JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
  const events = readCsv(join(folder, "events.csv")).rows.map(([time, ...text]) => ({ time: Number(time), text: text.join(",") }));
  return {
    name: summary.method + (summary.variant ? ` (${summary.variant})` : ""),
    summary,
    times: column(energy.rows.map((row) => Number(row[0])), "f64"),
    poses: column(poses, "f32"),
    series: [
      ...series("energy", join(folder, "energy.csv"), 0),
      ...series("constraints", join(folder, "constraints.csv"), 0),
      ...series("joints", join(folder, "joints.csv"), 2),
      ...series("reactions", join(folder, "reactions.csv"), 1, ["unique"]),
      ...series("bodies", join(folder, "bodies.csv"), 1, ["qw", "qx", "qy", "qz"]),
    ],
    events,
  };
}

// Quaternions, w first.
const turn = ([w, x, y, z], [a, b, c]) => {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
};
const times = ([a, b, c, d], [e, f, g, h]) => [
  a * e - b * f - c * g - d * h,
  a * f + b * e + c * h - d * g,
  a * g - b * h + c * e + d * f,
  a * h + b * g - c * f + d * e,
];
const inverse = ([w, x, y, z]) => [w, -x, -y, -z];

function frameIn(body, position, quaternion) {
  const back = inverse(body.quaternion);
  return { position: turn(back, position.map((value, i) => value - body.position[i])), quaternion: times(back, quaternion) };
}

/** Bodies and joints of an expanded model, whose layout is always the same. */
function readScene(path) {
  const text = readFileSync(path, "utf8");
  const list = (pattern, item, fallback) => JSON.parse(item.match(pattern)?.[1].replaceAll(/(^|[^\d])\./g, "$10.") ?? fallback);
  const section = (name) => (text.split(new RegExp(`^${name}:$`, "m"))[1] ?? "").split(/^\w/m)[0].split(/^ {2}- /m).slice(1);
  const places = new Map([["ground", { index: -1, position: [0, 0, 0], quaternion: [1, 0, 0, 0] }]]);
  section("bodies").forEach((item, index) => {
    const name = item.match(/name: "?([^"\n]*)/)[1];
    places.set(name, {
      index,
      position: list(/^ *position: (\[.*\])/m, item, "[0,0,0]"),
      quaternion: list(/^ *orientation: \{quaternion: (\[.*\])/m, item, "[1,0,0,0]"),
    });
  });
  const joints = section("joints").map((item) => {
    const [parent, child] = item.match(/bodies: \[(.*)\]/)[1].split(", ").map((name) => places.get(name));
    const at = list(/^ *at: (\[.*\])/m, item, "[0,0,0]");
    const quaternion = list(/^ *orientation: \{quaternion: (\[.*\])/m, item, "[1,0,0,0]");
    const [onParent, onChild] = [...item.matchAll(/\{at: (\[[^\]]*\]), orientation: \{quaternion: (\[[^\]]*\])/g)].map((match) => ({
      position: JSON.parse(match[1]),
      quaternion: JSON.parse(match[2]),
    }));
    const slide = Number(item.match(/slide: ([^,}]*)/)?.[1] ?? 0);
    const start = turn(quaternion, [0, 0, slide]);
    return {
      name: item.match(/name: "?([^"\n]*)/)[1],
      type: item.match(/type: (\w+)/)[1],
      parent: parent.index,
      child: child.index,
      on_parent: onParent ?? frameIn(parent, at.map((value, i) => value - start[i]), quaternion),
      on_child: onChild ?? frameIn(child, at, quaternion),
    };
  });
  const gravity = list(/^gravity: (\[.*\])/m, text, "[0,0,-9.81]");
  const size = Math.hypot(...gravity) || 1;
  const up = Math.hypot(...gravity) > 0 ? gravity.map((value) => -value / size) : [0, 0, 1];
  const bodies = [...places.keys()].slice(1).map((name) => ({ name, shapes: [] }));
  const description = text.match(/^title: "(.*)"$/m)?.[1];
  return { scene: { bodies, ground: { shapes: [] }, joints, gravity, up }, description };
}

function makeTable(runs) {
  return {
    columns: [
      { name: "method" },
      { name: "wall time", unit: "s" },
      { name: "steps" },
      { name: "evaluations" },
      { name: "largest position norm" },
      { name: "energy drift", unit: "J" },
    ],
    rows: runs.map(({ name, summary }) => [
      name,
      summary.wall_seconds,
      summary.steps,
      summary.evaluations,
      summary.largest_constraint_norms.position,
      summary.energy_drift,
    ]),
    left_out: [{ method: "order-n", reason: "the mechanism has a loop, and this method moves open mechanisms only" }],
  };
}

const [out, ...folders] = process.argv.slice(2);
if (!out || folders.length === 0) {
  console.error("usage: node tools/make_report.mjs OUT.html DIR [DIR …]");
  process.exit(2);
}
const runs = folders.map(readRun);
const { scene, description } = readScene(join(folders[0], "model.yaml"));
const report = {
  format: 1,
  title: runs[0].summary.model ?? basename(folders[0]),
  description,
  program: `sarrus ${runs[0].summary.versions.sarrus}`,
  kind: runs.length > 1 ? "comparison" : "run",
  scene,
  thinned: 1,
  ...(runs.length > 1 ? { table: makeTable(runs) } : {}),
  runs,
};
const json = JSON.stringify(report).replaceAll("<", "\\u003c");
const page = readFileSync(pagePath, "utf8");
writeFileSync(out, page.replace("<!--SARRUS_REPORT_DATA-->", () => `<script type="application/json" id="sarrus-report">${json}</script>`));
