import assert from "node:assert/strict";
import { test } from "node:test";
import { interpolatePose, locate, Motion, slerp } from "../src/data/motion.ts";

const near = (a: number, b: number, tolerance = 1e-6) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("a time is found between its samples", () => {
  const times = [0, 0.5, 2, 3];
  assert.deepEqual(locate(times, -1), [0, 0]);
  assert.deepEqual(locate(times, 0.25), [0, 0.5]);
  assert.deepEqual(locate(times, 0.5), [1, 0]);
  assert.deepEqual(locate(times, 2.75), [2, 0.75]);
  assert.deepEqual(locate(times, 3), [3, 0]);
  assert.deepEqual(locate(times, 99), [3, 0]);
  assert.deepEqual(locate([1], 5), [0, 0]);
  assert.deepEqual(locate([], 5), [0, 0]);
});

test("a turn goes on evenly about its axis", () => {
  const about = (angle: number) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
  const turns = [...about(0.2), ...about(2.6)];
  for (const part of [0, 0.1, 0.5, 0.8, 1]) {
    const out = [0, 0, 0, 0];
    slerp(turns, 0, 4, part, out, 0);
    about(0.2 + part * 2.4).forEach((value, i) => near(out[i], value));
  }
});

test("a quaternion and its negative are the same turn", () => {
  const half = Math.SQRT1_2;
  const out = [0, 0, 0, 0];
  slerp([half, half, 0, 0, -half, -half, 0, 0], 0, 4, 0.5, out, 0);
  near(out[0], half);
  near(out[1], half);
});

test("small turns stay of unit length", () => {
  const out = [0, 0, 0, 0];
  slerp([1, 0, 0, 0, Math.cos(0.01), Math.sin(0.01), 0, 0], 0, 4, 0.5, out, 0);
  near(Math.hypot(...out), 1, 1e-12);
  near(out[1], Math.sin(0.005), 1e-9);
});

test("places go straight", () => {
  const out = new Array<number>(7).fill(0);
  interpolatePose([0, 2, 4, 1, 0, 0, 0, 1, 0, 8, 1, 0, 0, 0], 0, 7, 0.25, out, 0);
  assert.deepEqual(out.slice(0, 3), [0.25, 1.5, 5]);
});

test("motion gives every body at any time, also after its last pose", () => {
  const pose = (x: number) => [x, 0, 0, 1, 0, 0, 0];
  const motion = new Motion(Float64Array.of(0, 1, 2), Float32Array.of(...pose(0), ...pose(10), ...pose(2), ...pose(20)), 2);
  assert.equal(motion.samples, 2); // the run broke off before the last pose was written
  const out = new Float32Array(14);
  motion.at(0.5, out);
  assert.deepEqual([out[0], out[7]], [1, 15]);
  motion.at(1.5, out);
  assert.deepEqual([out[0], out[7]], [2, 20]);
  assert.deepEqual([...motion.path(1)], [10, 0, 0, 20, 0, 0]);
});
