// Matrices in flat arrays, column after column: one multiplication for each part and frame, without objects.

/** 4×4 from px py pz qw qx qy qz. */
export function poseMatrix(pose: Float32Array, from: number, out: Float32Array, at: number): void {
  const w = pose[from + 3];
  const x = pose[from + 4];
  const y = pose[from + 5];
  const z = pose[from + 6];
  out[at] = 1 - 2 * (y * y + z * z);
  out[at + 1] = 2 * (x * y + w * z);
  out[at + 2] = 2 * (x * z - w * y);
  out[at + 3] = 0;
  out[at + 4] = 2 * (x * y - w * z);
  out[at + 5] = 1 - 2 * (x * x + z * z);
  out[at + 6] = 2 * (y * z + w * x);
  out[at + 7] = 0;
  out[at + 8] = 2 * (x * z + w * y);
  out[at + 9] = 2 * (y * z - w * x);
  out[at + 10] = 1 - 2 * (x * x + y * y);
  out[at + 11] = 0;
  out[at + 12] = pose[from];
  out[at + 13] = pose[from + 1];
  out[at + 14] = pose[from + 2];
  out[at + 15] = 1;
}

/** out = left · right, all three affine. */
export function multiplyInto(
  left: Float32Array,
  l: number,
  right: Float32Array,
  r: number,
  out: Float32Array,
  at: number,
): void {
  for (let column = 0; column < 16; column += 4) {
    const a = right[r + column];
    const b = right[r + column + 1];
    const c = right[r + column + 2];
    const d = column === 12 ? 1 : 0;
    for (let row = 0; row < 3; ++row)
      out[at + column + row] = left[l + row] * a + left[l + 4 + row] * b + left[l + 8 + row] * c + left[l + 12 + row] * d;
    out[at + column + 3] = d;
  }
}
