import assert from "node:assert/strict";
import { test } from "node:test";
import { columnLength, decodeBase64, decodeFloats, decodeIndices } from "../src/data/columns.ts";

const encode = (array: Float64Array | Float32Array | Uint32Array) => Buffer.from(array.buffer).toString("base64");

test("doubles come back to the bit", () => {
  const values = Float64Array.of(0, -0, 1 / 3, Number.MIN_VALUE, Number.MAX_VALUE, NaN, -Infinity, 6.02214076e23);
  const decoded = decodeFloats({ f64: encode(values) });
  assert.equal(decoded.length, values.length);
  values.forEach((value, i) => assert.ok(Object.is(decoded[i], value)));
});

test("all lengths of base64 are read, with padding and without", () => {
  for (let length = 0; length < 20; ++length) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 97 + 255) & 255);
    const text = Buffer.from(bytes).toString("base64");
    assert.deepEqual(decodeBase64(text), bytes);
    assert.deepEqual(decodeBase64(text.replaceAll("=", "")), bytes);
  }
});

test("floats and indices are read as what they are", () => {
  assert.deepEqual([...decodeFloats({ f32: encode(Float32Array.of(0.5, -2)) })], [0.5, -2]);
  assert.deepEqual([...decodeIndices({ u32: encode(Uint32Array.of(7, 4294967295)) })], [7, 4294967295]);
});

test("a missing column is empty", () => {
  assert.equal(decodeFloats("").length, 0);
  assert.equal(decodeFloats(undefined).length, 0);
  assert.equal(decodeFloats({}).length, 0);
});

test("damage is told, not decoded", () => {
  assert.throws(() => decodeBase64("AA*A"), /damaged/);
  assert.throws(() => decodeFloats({ f64: "AAAA" }), /multiple of 8/);
});

test("the length is known without decoding", () => {
  for (let count = 0; count < 7; ++count) {
    assert.equal(columnLength({ f64: encode(new Float64Array(count)) }), count);
    assert.equal(columnLength({ f32: encode(new Float32Array(count)) }), count);
  }
  assert.equal(columnLength(""), 0);
});
