import uPlot from "uplot";
import { locate } from "../data/motion.ts";
import type { Entry } from "../data/catalog.ts";
import { type Curve, wrapOf } from "./lines.ts";
import { horizontalAxis, plotColors, verticalAxis } from "./look.ts";
import { Measure, rangeOf } from "./measure.ts";
import type { Plot, PlotHost } from "./plot.ts";

const axesRoom = { x: 84, y: 48 }; // pixels
const leastRoom = 130; // pixels
const mostEmpty = 1.5; // times what the path spans

type Range = [number, number];
interface Jumps {
  x: number;
  y: number;
}

/** One quantity against another. A dot on each curve goes along with the time; a click goes to the nearest sample. */
export class PathPlot implements Plot {
  readonly plot: uPlot;
  private readonly dots: HTMLElement[];
  private readonly measures: { x: Measure; y: Measure };
  private readonly bounds: { x: Range; y: Range };
  private readonly xWrap: number;
  private readonly sameUnit: boolean;
  private pressedAt: [number, number] | undefined;

  constructor(
    private readonly curves: Curve[],
    against: Entry,
    place: HTMLElement,
    private readonly host: PlotHost,
  ) {
    const xUnit = against.unit;
    const xLabel = xUnit ? `${against.label} [${xUnit}]` : against.label;
    this.xWrap = wrapOf(against);
    this.sameUnit = curves.every((curve) => curve.entry.unit === xUnit);
    const ranges = { x: rangeOf(curves.map((curve) => curve.x)), y: rangeOf(curves.map((curve) => curve.y)) };
    const least = this.sameUnit ? Math.max(ranges.x[1] - ranges.x[0], ranges.y[1] - ranges.y[0]) : 0;
    this.measures = { x: new Measure(ranges.x, least), y: new Measure(ranges.y, least) };
    this.bounds = { x: this.plottedRange("x", ranges.x), y: this.plottedRange("y", ranges.y) };
    const columns = (curve: Curve) => [curve.x.map((x) => this.measures.x.plotted(x)), curve.y.map((y) => this.measures.y.plotted(y))];
    const data = [null, ...curves.map(columns)] as unknown as uPlot.AlignedData;
    this.plot = new uPlot(this.options(xLabel, place), data, place);
    this.dots = curves.map((curve) => this.addDot(curve.color));
    this.listen();
    this.moveTo(host.time());
  }

  moveTo(time: number): void {
    this.curves.forEach((curve, i) => {
      const [sample, part] = locate(curve.times, time);
      const next = Math.min(sample + 1, curve.times.length - 1);
      const x = this.position("x", curve.x[sample] + part * (curve.x[next] - curve.x[sample]));
      const y = this.position("y", curve.y[sample] + part * (curve.y[next] - curve.y[sample]));
      this.dots[i].style.transform = `translate(${x}px, ${y}px)`;
      this.dots[i].style.display = Number.isFinite(x + y) ? "" : "none";
    });
  }

  resize(width: number, height: number): void {
    this.plot.setSize(this.sizeWithin(width, height));
    refit(this.plot);
    this.moveTo(this.host.time());
  }

  relayout(): void {} // nor are its margins shared

  zoomTo(): void {} // its axes are not time

  destroy(): void {
    this.plot.destroy();
  }

  /** Where a value is, in pixels of the plot. */
  private position(axis: "x" | "y", value: number): number {
    return this.plot.valToPos(this.measures[axis].plotted(value), axis);
  }

  private plottedRange(axis: "x" | "y", [min, max]: Range): Range {
    return [this.measures[axis].plotted(min), this.measures[axis].plotted(max)];
  }

  private options(xLabel: string, place: HTMLElement): uPlot.Options {
    const colors = plotColors();
    return {
      mode: 2,
      ...this.sizeWithin(Math.max(50, place.clientWidth), Math.max(50, place.clientHeight)),
      legend: { show: false },
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, range: (plot, min, max) => this.range(plot, "x", min, max) },
        y: { range: (plot, min, max) => this.range(plot, "y", min, max) },
      },
      series: [{}, ...this.curves.map((curve, i) => pathSeries(curve, (plot) => drawPath(plot, i + 1, curve, this.jumps(curve))))],
      axes: [
        horizontalAxis(colors, this.measures.x.unit(xLabel), this.measures.x),
        verticalAxis(colors, "y", this.curves[0]?.entry.unit ?? "", 3, this.measures.y),
      ],
      cursor: { drag: { x: true, y: true, dist: 5 }, points: { show: false }, dataIdx: () => null as unknown as number },
      hooks: { ready: [refit], setScale: [() => this.plot && this.moveTo(this.host.time())] },
    };
  }

  /** Undistorted paths get no more room than they fill, but for a margin beside them. */
  private sizeWithin(width: number, height: number): { width: number; height: number } {
    if (!this.sameUnit) return { width, height };
    const spans = { x: spanOf(this.bounds.x) * this.measures.x.factor, y: spanOf(this.bounds.y) * this.measures.y.factor };
    const room = { x: Math.max(20, width - axesRoom.x), y: Math.max(20, height - axesRoom.y) };
    const perPixel = Math.max(spans.x / room.x, spans.y / room.y);
    const wide = Math.max(leastRoom, mostEmpty * (spans.x / perPixel));
    const high = Math.max(leastRoom, mostEmpty * (spans.y / perPixel));
    return { width: Math.min(width, wide + axesRoom.x), height: Math.min(height, high + axesRoom.y) };
  }

  /** Zoomed ranges as they are; the whole with a margin, and undistorted where both axes have one unit. */
  private range(plot: uPlot, axis: "x" | "y", min: number | null, max: number | null): Range {
    const whole = this.bounds[axis];
    if (min !== null && max !== null && (min > whole[0] || max < whole[1])) return [min, max];
    const width = plot.over?.clientWidth || plot.width - 70;
    const height = plot.over?.clientHeight || plot.height - 50;
    const { factor } = this.measures[axis];
    const spans = { x: spanOf(this.bounds.x) * this.measures.x.factor, y: spanOf(this.bounds.y) * this.measures.y.factor };
    let span = spans[axis];
    if (this.sameUnit) {
      const perPixel = Math.max(spans.x / width, spans.y / height);
      span = perPixel * (axis === "x" ? width : height);
    }
    span /= factor;
    const middle = (whole[0] + whole[1]) / 2;
    return [middle - span / 2, middle + span / 2];
  }

  /** Where turns wrap around, in plotted values. */
  private jumps(curve: Curve): Jumps {
    return { x: this.xWrap / this.measures.x.factor, y: wrapOf(curve.entry) / this.measures.y.factor };
  }

  private addDot(color: string): HTMLElement {
    const dot = document.createElement("div");
    dot.className = "path-dot";
    dot.style.background = color;
    this.plot.over.append(dot);
    return dot;
  }

  private listen(): void {
    const { over } = this.plot;
    over.addEventListener("mousedown", (event) => (this.pressedAt = [event.clientX, event.clientY]));
    over.addEventListener("click", (event) => {
      const [x, y] = this.pressedAt ?? [event.clientX, event.clientY];
      if (Math.hypot(event.clientX - x, event.clientY - y) < 4) this.seekNearest(event);
    });
  }

  private seekNearest(event: MouseEvent): void {
    const box = this.plot.over.getBoundingClientRect();
    let best = Infinity;
    let time = this.host.time();
    for (const curve of this.curves)
      for (let i = 0; i < curve.times.length; ++i) {
        const dx = this.position("x", curve.x[i]) - (event.clientX - box.left);
        const dy = this.position("y", curve.y[i]) - (event.clientY - box.top);
        if (dx * dx + dy * dy < best) [best, time] = [dx * dx + dy * dy, curve.times[i]];
      }
    this.host.seek(time);
  }
}

/** Ranges follow from the plot's proportions, which are known only when it is laid out. */
function refit(plot: uPlot): void {
  plot.setData(plot.data, true);
}

/** With a margin; never nothing, or a point could not be drawn. */
function spanOf([min, max]: Range): number {
  return max > min ? 1.12 * (max - min) : Math.max(0.2, Math.abs(max) * 0.2);
}

function pathSeries(curve: Curve, draw: (plot: uPlot) => void): uPlot.Series {
  return {
    label: curve.label,
    stroke: curve.color,
    facets: [
      { scale: "x", auto: true },
      { scale: "y", auto: true },
    ],
    paths: (plot) => {
      draw(plot);
      return null;
    },
  };
}

/** The library sorts by x; a path runs as it likes, so it is drawn by hand. */
function drawPath(plot: uPlot, series: number, curve: Curve, jumps: Jumps): void {
  const { ctx, bbox } = plot;
  const [xs, ys] = plot.data[series] as unknown as [Float64Array, Float64Array];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  ctx.strokeStyle = curve.color;
  ctx.lineWidth = curve.width * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.setLineDash(curve.dash.map((length) => length * devicePixelRatio));
  let open = false;
  for (let i = 0; i < xs.length; ++i) {
    const x = plot.valToPos(xs[i], "x", true);
    const y = plot.valToPos(ys[i], "y", true);
    const seen = Number.isFinite(x + y);
    if (open && (Math.abs(xs[i] - xs[i - 1]) > jumps.x || Math.abs(ys[i] - ys[i - 1]) > jumps.y)) open = false;
    if (seen && open) ctx.lineTo(x, y);
    else if (seen) ctx.moveTo(x, y);
    open = seen;
  }
  ctx.stroke();
  ctx.restore();
}
