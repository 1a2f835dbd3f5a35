import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportData, RunData } from "../src/data/format.ts";
import { readReport } from "../src/data/report.ts";

const column = (...values: number[]) => ({ f64: Buffer.from(Float64Array.from(values).buffer).toString("base64") });

function sample(changes: Partial<ReportData> = {}): ReportData {
  const run: RunData = {
    name: "reference",
    times: column(0, 1),
    poses: "",
    series: [
      { group: "bodies", element: "coupler", name: "px", unit: "m", values: column(1, 2) },
      { group: "bodies", element: "crank", name: "px", unit: "m", values: column(3, 4) },
      { group: "energy", element: "", name: "total", unit: "J", values: column(5, 5.5) },
      { group: "energy", element: "", name: "supplied", unit: "J", values: column(0, 0.25) },
    ],
  };
  return { format: 1, title: "t", kind: "run", scene: { bodies: [{ name: "coupler" }, { name: "crank" }] }, runs: [run], ...changes };
}

const read = (data: ReportData) => readReport(JSON.stringify(data));

test("series are found by words in any order", () => {
  const { catalog } = read(sample());
  assert.deepEqual(catalog.search("px coup").map((entry) => entry.label), ["coupler px"]);
  assert.equal(catalog.search("bodies PX").length, 2);
  assert.equal(catalog.search("nothing like it").length, 0);
  assert.equal(catalog.search("", "energy").length, 3); // the drift is worked out by the page
  assert.equal(catalog.entries[0].group, "energy");
});

test("searching ten thousands of series takes no time to speak of", () => {
  const data = sample();
  const values = column(0, 1);
  data.runs[0].series = Array.from({ length: 50_000 }, (_, i) => ({ group: "bodies", element: `link${i}`, name: "px", unit: "m", values }));
  const { catalog } = read(data);
  const start = performance.now();
  assert.equal(catalog.search("link4999 px").length, 11);
  assert.ok(performance.now() - start < 200);
});

test("drift is the energy nobody supplied", () => {
  const report = read(sample());
  const drift = report.catalog.find("energy", "", "drift");
  assert.ok(drift);
  assert.deepEqual([...(report.catalog.values(drift, report.runs[0]) ?? [])], [0, 0.25]);
});

test("values are decoded once while they are shown, and anew after that", () => {
  const { catalog, runs } = read(sample());
  const entry = catalog.find("bodies", "crank", "px");
  assert.ok(entry);
  const values = catalog.values(entry, runs[0]);
  assert.ok(values);
  catalog.keepOnly(new Set([values]));
  assert.equal(catalog.values(entry, runs[0]), values);
  catalog.keepOnly(new Set());
  const again = catalog.values(entry, runs[0]);
  assert.notEqual(again, values);
  assert.deepEqual(again, values);
});

test("runs of a comparison share names, and may lack some", () => {
  const first = sample().runs[0];
  const second: RunData = { name: "other", times: column(0, 1, 2), series: [first.series![0]] };
  const report = read(sample({ kind: "comparison", runs: [first, second] }));
  assert.equal(report.end, 2);
  assert.equal(report.catalog.search("px").length, 2);
  const crank = report.catalog.find("bodies", "crank", "px");
  assert.ok(crank);
  assert.equal(report.catalog.values(crank, report.runs[1]), undefined);
});

test("what cannot be read is told in words", () => {
  assert.throws(() => readReport(undefined), /no data in this page/);
  assert.throws(() => readReport("{"), /damaged or cut off/);
  assert.throws(() => readReport("{}"), /not those of a Sarrus report/);
  assert.throws(() => read(sample({ format: 2 })), /format 2, newer than format 1/);
  assert.throws(() => read(sample({ runs: [] })), /nothing to show/);
});

test("a report without series and poses can be read", () => {
  const report = read(sample({ scene: { bodies: [] }, runs: [{ name: "", times: column(0) }] }));
  assert.equal(report.catalog.entries.length, 0);
  assert.equal(report.runs[0].hasPoses, false);
  assert.equal(report.runs[0].name, "run 1");
});
