import assert from "node:assert/strict";
import { test } from "node:test";
import { thinned, upperEnvelope } from "../src/plots/thinning.ts";

const x = Float64Array.from({ length: 100_001 }, (_, i) => i * 1e-4);

test("long columns are thinned, and keep their extremes and their ends", () => {
  const y = x.map((time) => Math.sin(time));
  y[31_234] = 7;
  y[31_235] = -7;
  const drawn = thinned({ x, ys: [y] }, 0, 10, 500);
  assert.ok(drawn.x.length <= 4 * 501 + 2, `${drawn.x.length} points`);
  const values = Array.from(drawn.ys[0]);
  assert.deepEqual([Math.max(...values), Math.min(...values)], [7, -7]);
  assert.deepEqual([drawn.x[0], drawn.x[drawn.x.length - 1]], [0, 10]);
  assert.ok(Array.from(drawn.x).every((time, i) => i === 0 || time > drawn.x[i - 1]));
});

test("zoomed in far, every sample is there", () => {
  const y = x.map((time) => Math.cos(time));
  const drawn = thinned({ x, ys: [y] }, 5, 5.01, 500);
  assert.equal(Array.from(drawn.x).filter((time) => time >= 5 && time <= 5.01).length, Array.from(x).filter((time) => time >= 5 && time <= 5.01).length);
});

test("holes stay holes", () => {
  const y = x.map((time) => (time > 5 && time < 5.001 ? NaN : time));
  assert.ok(Array.from(thinned({ x, ys: [y] }, 0, 10, 500).ys[0]).some(Number.isNaN));
});

test("short columns stay as they are", () => {
  const short = x.subarray(0, 20_000);
  assert.equal(thinned({ x: short, ys: [short] }, 0, 2, 10).x, short);
});

test("the envelope runs along the greatest values", () => {
  const y = x.map((_, i) => (i % 2 ? 1e-16 : 1e-30));
  const { x: times, ys } = upperEnvelope({ x, ys: [y] }, 0, 10, 200);
  assert.ok(times.length <= 204);
  assert.ok(Array.from(ys[0]).slice(1, -1).every((value) => value === 1e-16));
});
