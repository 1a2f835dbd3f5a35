import { readable } from "../page/numbers.ts";

/** Least and greatest finite value; none: 0 and 1. */
export function rangeOf(columns: ArrayLike<number>[]): [number, number] {
  let min = Infinity;
  let max = -Infinity;
  for (const column of columns)
    for (let i = 0; i < column.length; ++i) {
      const value = column[i];
      if (value < min && value > -Infinity) min = value;
      if (value > max && value < Infinity) max = value;
    }
  return min <= max ? [min, max] : [0, 1];
}

const farAway = 1e5; // times their range: values that look alike unless the range is told from a base

/**
 * Values as the plotting library gets them, value = base + factor · plotted: of the order of one.
 * Left alone, its ticks never end for 1e-20, nor for an energy of 7 J that drifts by 1e-14.
 */
export class Measure {
  readonly base: number;
  readonly factor: number;

  /** Ranges smaller than the least one are noise, and told in its measure. */
  constructor([min, max]: [number, number], leastRange = 0) {
    const range = Math.max(max - min, leastRange);
    const middle = (min + max) / 2;
    this.base = range > 0 && Math.abs(middle) > farAway * range ? roundTo(middle, range) : 0;
    const size = Math.max(Math.abs(min - this.base), Math.abs(max - this.base), leastRange / 2);
    const power = size > 0 ? Math.floor(Math.log10(size)) : 0;
    this.factor = 10 ** Math.min(300, Math.max(-300, power));
  }

  plotted(value: number): number {
    return (value - this.base) / this.factor;
  }

  tick(plotted: number | null): string {
    return plotted === null ? "" : readable(Number((plotted * this.factor).toPrecision(10)), 6);
  }

  /** The unit for the axis, and from where its ticks count if not from 0. */
  unit(unit: string): string {
    return this.base === 0 ? unit : `${unit} from ${readable(this.base, 8)}`.trim();
  }
}

/** To the decimal above the range, so that the base is a number one can read. */
function roundTo(value: number, range: number): number {
  const step = 10 ** Math.ceil(Math.log10(range));
  return Math.round(value / step) * step;
}

const finest = 1e-7; // of the size of the values: what a zoom can go down to

/** A range around plotted values that is never nothing. */
export function openRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min + max)) return [0, 1];
  const least = finest * Math.max(1, Math.abs(min), Math.abs(max));
  const span = Math.max(max - min, least);
  const middle = (min + max) / 2;
  return [middle - 0.56 * span, middle + 0.56 * span];
}
