import assert from "node:assert/strict";
import { test } from "node:test";
import { numberText, quoted, toCsv } from "../src/data/csv.ts";

test("numbers parse back to the same double", () => {
  let seed = 12345;
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < 20_000; ++i) {
    for (const at of [0, 4]) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      view.setUint32(at, seed);
    }
    const value = view.getFloat64(0);
    if (Number.isFinite(value)) assert.ok(Object.is(Number(numberText(value)), value));
  }
  for (const value of [0, -0, 1e21, 1e-7, 5e-324, 0.1 + 0.2]) assert.ok(Object.is(Number(numberText(value)), value));
});

test("what is no number is written as other programs read it", () => {
  assert.equal(numberText(NaN), "nan");
  assert.equal(numberText(Infinity), "inf");
  assert.equal(numberText(-Infinity), "-inf");
});

test("names with commas and quotes are quoted", () => {
  assert.equal(quoted("plain name"), "plain name");
  assert.equal(quoted('a,"b"'), '"a,""b"""');
});

test("one run is one row a sample", () => {
  const times = [0, 0.5];
  const text = toCsv([
    { name: "a", times, values: [1, 2] },
    { name: "b", times, values: [3, NaN] },
  ]);
  assert.equal(text, "time,a,b\n0,1,3\n0.5,2,nan\n");
});

test("times that are no numbers come to an end", () => {
  const text = toCsv([
    { name: "a", times: [0, NaN, 2], values: [1, 2, 3] },
    { name: "b", times: [0, 1, Infinity], values: [4, 5, 6] },
  ]);
  assert.equal(text, "time,a,b\n0,1,4\nnan,2,\n1,,5\n2,3,\ninf,,6\n");
});

test("runs with other samples leave cells empty", () => {
  const text = toCsv([
    { name: "a", times: [0, 1], values: [1, 2] },
    { name: "b", times: [0, 0.5, 1], values: [3, 4, 5] },
  ]);
  assert.equal(text, "time,a,b\n0,1,3\n0.5,,4\n1,2,5\n");
});
