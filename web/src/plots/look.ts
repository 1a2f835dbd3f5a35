import type uPlot from "uplot";
import { readable } from "../page/numbers.ts";
import type { Measure } from "./measure.ts";

export interface PlotColors {
  text: string;
  grid: string;
  axis: string;
  mark: string;
}

export function plotColors(): PlotColors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { text: color("--quiet"), grid: color("--grid"), axis: color("--line"), mark: color("--accent") };
}

export const plotFont = "11px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif";

const tickRoom = 56; // pixels: the same for all plots, so that their times lie below each other
const labelRoom = 15;
/** What an axis takes beside a plot. */
export const axisRoom = tickRoom + labelRoom;

/** Norms of constraints below this are rounding noise of rounding noise. */
export const leastNorm = 1e-18;

/** With a label its own unit is told there; without, seconds stand at every tick. */
export function horizontalAxis(colors: PlotColors, label?: string, measure?: Measure): uPlot.Axis {
  return {
    stroke: colors.text,
    font: plotFont,
    labelFont: plotFont,
    ...(label ? { label, labelSize: 15, labelGap: 0 } : {}),
    size: 24,
    gap: 4,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.axis, width: 1, size: 4 },
    values: (_plot, splits) => snapped(splits).map((value) => (measure ? measure.tick(value) : `${axisText(value)} s`)),
  };
}

/** Without a measure the scale is logarithmic. */
export function verticalAxis(colors: PlotColors, scale: string, unit: string, side: 1 | 3, measure?: Measure): uPlot.Axis {
  return {
    scale,
    side,
    stroke: colors.text,
    font: plotFont,
    labelFont: plotFont,
    label: (measure ? measure.unit(unit) : unit) || " ",
    labelSize: labelRoom,
    labelGap: 0,
    gap: 5,
    size: (_plot, values) => Math.max(tickRoom, ...(values ?? []).map((text) => 10 + 5.2 * (text?.length ?? 0))),
    grid: { stroke: colors.grid, width: 1, show: side === 3 },
    ticks: { stroke: colors.axis, width: 1, size: 4 },
    space: 20,
    filter: (_plot, splits) => splits,
    ...(measure ? {} : { splits: (plot: uPlot, _axis: number, min: number, max: number) => powersOfTen(plot, min, max) }),
    values: (_plot, splits) => (measure ? snapped(splits).map((value) => measure.tick(value)) : splits.map(powerText)),
  };
}

/** A tick that is nothing but the rounding of its neighbours is 0. */
function snapped(ticks: number[]): number[] {
  const spacing = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 0;
  return ticks.map((value) => (value !== null && Math.abs(value) < 1e-6 * spacing ? 0 : value));
}

function axisText(value: number | null): string {
  return value === null ? "" : readable(Math.abs(value) < 1e-300 ? 0 : value, 6);
}

const powerHeight = 17; // pixels

// The library's own ticks never end below 1e-16, where norms of constraints are at home.
function powersOfTen(plot: uPlot, min: number, max: number): number[] {
  const first = Math.round(Math.log10(min));
  const last = Math.round(Math.log10(max));
  const most = Math.max(1, plot.bbox.height / devicePixelRatio / powerHeight);
  const step = Math.max(1, Math.ceil((last - first) / most));
  const powers: number[] = [];
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) powers.push(10 ** power);
  return powers;
}

/** Whole decades around what there is, but not below the floor. */
export function decadesAbove(floor: number): (plot: uPlot, min: number | null, max: number | null) => [number, number] {
  return (_plot, min, max) => {
    if (min === null || max === null || !(min > 0)) return [0.1, 10];
    const first = Math.floor(Math.log10(Math.min(max, Math.max(min, floor))) + 1e-9);
    const last = Math.ceil(Math.log10(max) - 1e-9);
    return [10 ** first, 10 ** Math.max(last, first + 1)];
  };
}

function powerText(value: number | null): string {
  if (value === null || value <= 0) return "";
  const power = Math.round(Math.log10(value));
  return Math.abs(power) < 3 ? readable(10 ** power) : readable(10 ** power, 1);
}
