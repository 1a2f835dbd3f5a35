import assert from "node:assert/strict";
import { test } from "node:test";
import { Measure, openRange, rangeOf } from "../src/plots/measure.ts";

test("a range leaves out what is no number", () => {
  assert.deepEqual(rangeOf([[3, NaN, -1], [Infinity]]), [-1, 3]);
  assert.deepEqual(rangeOf([[NaN]]), [0, 1]);
});

test("plotted values are of the order of one", () => {
  for (const range of [[0, 1e-20], [-3e14, 5e14], [7, 7 + 1e-12], [-6.7511534, -6.7511533], [0, 5e-324]] as [number, number][]) {
    const measure = new Measure(range);
    for (const value of range) {
      assert.ok(Math.abs(measure.plotted(value)) <= 10, `${value} is plotted as ${measure.plotted(value)}`);
      const back = measure.base + measure.factor * measure.plotted(value);
      assert.ok(Math.abs(back - value) <= 1e-6 * (range[1] - range[0]) + 1e-300, `${back} is not ${value}`);
    }
  }
});

test("only values far from zero are told from a base", () => {
  assert.equal(new Measure([-5, 20]).base, 0);
  assert.equal(new Measure([-5, 20]).unit("J"), "J");
  assert.match(new Measure([7, 7 + 1e-9]).unit("J"), /^J from 7/);
  assert.equal(new Measure([4, 4]).base, 0);
});

test("a range is never empty", () => {
  for (const [min, max] of [[1, 1], [0, 0], [5, 5 + 1e-15]]) {
    const [low, high] = openRange(min, max);
    assert.ok(low < min && high > max);
  }
  assert.deepEqual(openRange(null, null), [0, 1]);
});
