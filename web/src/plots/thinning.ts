import { locate } from "../data/motion.ts";

/** Columns over one axis of time, as they are drawn. */
export interface Drawn {
  x: ArrayLike<number>;
  ys: ArrayLike<number>[];
}

/** Drawn as they are up to here; nobody tells more points apart. */
const mostPoints = 20_000;

/** Of long columns, what a plot so many pixels wide shows between two times: ends, least and greatest of every pixel. */
export function thinned({ x, ys }: Drawn, from: number, to: number, pixels: number): Drawn {
  if (x.length <= mostPoints) return { x, ys };
  const kept = new Set<number>([0, x.length - 1]);
  forEachBucket(x, from, to, pixels, (first, last) => {
    kept.add(first).add(last);
    for (const y of ys) for (const i of extremes(y, first, last)) kept.add(i);
  });
  const order = [...kept].sort((a, b) => a - b);
  return { x: order.map((i) => x[i]), ys: ys.map((y) => order.map((i) => y[i])) };
}

/** The greatest value of every few pixels: of norms that jump between rounding noise and nothing, the line one asks for. */
export function upperEnvelope({ x, ys }: Drawn, from: number, to: number, buckets: number): Drawn {
  if (x.length <= buckets) return { x, ys };
  const last = x.length - 1;
  const times: number[] = [];
  const tops: number[][] = ys.map(() => []);
  const add = (time: number, first: number, end: number) => {
    if (times.length && !(time > times[times.length - 1])) return;
    times.push(time);
    ys.forEach((y, k) => tops[k].push(greatest(y, first, end)));
  };
  add(x[0], 0, 0);
  forEachBucket(x, from, to, buckets, (first, end) => add(x[(first + end) >> 1], first, end));
  add(x[last], last, last);
  return { x: times, ys: tops };
}

/** First and last sample of each of as many parts of the time as are asked for, those that hold any; one more at both ends. */
function forEachBucket(x: ArrayLike<number>, from: number, to: number, count: number, each: (first: number, last: number) => void): void {
  const [start] = locate(x, from);
  const end = Math.min(x.length - 1, locate(x, to)[0] + 1);
  const width = (to - from) / Math.max(1, count);
  const bucket = (i: number) => Math.floor((x[i] - from) / width);
  for (let first = start; first <= end; ) {
    let last = first;
    while (last < end && bucket(last + 1) === bucket(first)) ++last;
    each(first, last);
    first = last + 1;
  }
}

/** Samples of the least and the greatest value, and one that is no number, if there are any. */
function extremes(y: ArrayLike<number>, first: number, last: number): number[] {
  let [low, high, hole] = [-1, -1, -1];
  for (let i = first; i <= last; ++i) {
    if (!Number.isFinite(y[i])) hole = i;
    else {
      if (low < 0 || y[i] < y[low]) low = i;
      if (high < 0 || y[i] > y[high]) high = i;
    }
  }
  return [low, high, hole].filter((i) => i >= 0);
}

function greatest(y: ArrayLike<number>, first: number, last: number): number {
  let top = NaN;
  for (let i = first; i <= last; ++i) if (Number.isFinite(y[i]) && !(y[i] <= top)) top = y[i];
  return top;
}
