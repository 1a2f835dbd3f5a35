import assert from "node:assert/strict";
import { test } from "node:test";
import { ordinal } from "../src/page/numbers.ts";

test("ordinal numbers are English", () => {
  const numbers = [1, 2, 3, 4, 8, 11, 12, 13, 16, 21, 32, 64, 103, 111, 112, 1024];
  const texts = ["1st", "2nd", "3rd", "4th", "8th", "11th", "12th", "13th", "16th", "21st", "32nd", "64th", "103rd", "111th", "112th", "1024th"];
  assert.deepEqual(numbers.map(ordinal), texts);
});
