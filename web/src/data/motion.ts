/** Place and turn of every body over time, between samples too. */
export class Motion {
  constructor(
    readonly times: Float64Array,
    private readonly poses: ArrayLike<number>,
    readonly bodies: number,
  ) {}

  /** Writes px py pz qw qx qy qz of every body at the time into `out`. */
  at(time: number, out: Float32Array): void {
    const [sample, part] = locate(this.times, time);
    const width = this.bodies * 7;
    const last = Math.floor(this.poses.length / width) - 1;
    const from = Math.min(sample, last) * width;
    const to = Math.min(sample + 1, last) * width;
    for (let offset = 0; offset < width; offset += 7) interpolatePose(this.poses, from + offset, to + offset, part, out, offset);
  }

  /** The place of a body's origin at every `stride`-th sample, one after the other. */
  path(body: number, stride = 1): Float32Array {
    const count = Math.ceil(this.samples / stride);
    const path = new Float32Array(count * 3);
    for (let i = 0; i < count; ++i)
      for (let axis = 0; axis < 3; ++axis) path[i * 3 + axis] = this.poses[(i * stride * this.bodies + body) * 7 + axis];
    return path;
  }

  get samples(): number {
    return Math.floor(this.poses.length / (this.bodies * 7));
  }
}

/** The last sample not after the time, and how far the time is on the way to the next, 0 to 1. */
export function locate(times: ArrayLike<number>, time: number): [sample: number, part: number] {
  const last = times.length - 1;
  if (last < 1 || !(time > times[0])) return [0, 0];
  if (time >= times[last]) return [last, 0];
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return [low, (time - times[low]) / (times[high] - times[low])];
}

export function interpolatePose(
  poses: ArrayLike<number>,
  from: number,
  to: number,
  part: number,
  out: Float32Array | number[],
  at: number,
): void {
  for (let i = 0; i < 3; ++i) out[at + i] = poses[from + i] + part * (poses[to + i] - poses[from + i]);
  slerp(poses, from + 3, to + 3, part, out, at + 3);
}

/** The shorter way from one turn to the other, at even speed: q and −q are the same turn. */
export function slerp(q: ArrayLike<number>, from: number, to: number, part: number, out: Float32Array | number[], at: number): void {
  let dot = 0;
  for (let i = 0; i < 4; ++i) dot += q[from + i] * q[to + i];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  let first = 1 - part;
  let second = part;
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    first = Math.sin(first * angle) / Math.sin(angle);
    second = Math.sin(second * angle) / Math.sin(angle);
  }
  let square = 0;
  for (let i = 0; i < 4; ++i) {
    const value = first * q[from + i] + sign * second * q[to + i];
    out[at + i] = value;
    square += value * value;
  }
  // Near 1 the straight line is taken, which is a little short of unit length; f32 samples are as well.
  const scale = square > 0 ? 1 / Math.sqrt(square) : 1;
  for (let i = 0; i < 4; ++i) out[at + i] *= scale;
}
