import uPlot from "uplot";
import { type Curve, wrapOf } from "./lines.ts";
import { axisRoom, decadesAbove, horizontalAxis, leastNorm, plotColors, verticalAxis } from "./look.ts";
import { Measure, openRange, rangeOf } from "./measure.ts";
import type { Plot, PlotHost } from "./plot.ts";
import { type Drawn, thinned, upperEnvelope } from "./thinning.ts";

const rightMargin = 16; // pixels
const envelopeStep = 3; // pixels
const nearMark = 7; // pixels within which a press takes hold of the time mark

// Magnitudes of different units compare well enough on a logarithmic scale; three axes would only take room.
const sharedScale = "logarithmic";

interface DrawnCurve extends Curve {
  scale: string;
}

/** Quantities over time. A click sets the time, dragging the mark or the axis below scrubs, dragging elsewhere zooms. */
export class TimePlot implements Plot {
  readonly plot: uPlot;
  private readonly mark = document.createElement("div");
  /** Of each scale, named by its unit; none where it is logarithmic. */
  private readonly measures: Map<string, Measure | undefined>;
  private pressedAt: [number, number] | undefined;
  private readonly curves: DrawnCurve[];
  /** What is drawn is thinned for this width and these times. */
  private thinnedFor = "";

  constructor(
    curves: Curve[],
    logarithmic: boolean,
    place: HTMLElement,
    private readonly host: PlotHost,
  ) {
    const drawn = curves.map((curve) => ({ ...curve, scale: logarithmic ? sharedScale : curve.entry.unit }));
    this.curves = drawn;
    this.measures = measuresOf(drawn, logarithmic);
    this.plot = new uPlot(this.options(drawn, place), this.data(host.start, host.end, place.clientWidth), place);
    this.mark.className = "time-mark";
    this.plot.over.append(this.mark);
    this.plot.over.setAttribute("aria-hidden", "true");
    this.listen();
    if (host.zoom) this.zoomTo(...host.zoom);
    this.moveTo(host.time());
  }

  moveTo(time: number): void {
    const left = this.plot.valToPos(time, "x");
    // Not the element's own width: reading it would make the browser lay the page out anew, once for every plot and frame.
    const inside = left >= -1 && left <= this.plot.bbox.width / devicePixelRatio + 1;
    this.mark.style.display = inside ? "" : "none";
    this.mark.style.transform = `translateX(${left}px)`;
  }

  resize(width: number, height: number): void {
    this.plot.setSize({ width, height });
    this.thinAnew();
    this.moveTo(this.host.time());
  }

  relayout(): void {
    this.plot.redraw(false, true);
    this.moveTo(this.host.time());
  }

  zoomTo(from: number, to: number): void {
    const { min, max } = this.plot.scales.x;
    if (min !== from || max !== to) this.plot.setScale("x", { min: from, max: to });
  }

  destroy(): void {
    this.plot.destroy();
  }

  private data(from: number, to: number, width: number): uPlot.AlignedData {
    this.thinnedFor = `${from} ${to} ${width}`;
    return alignedData(this.curves, this.measures, (drawn) =>
      this.isEnvelope ? upperEnvelope(drawn, from, to, width / envelopeStep) : thinned(drawn, from, to, width),
    );
  }

  /** Norms of constraints on a logarithmic scale. */
  private get isEnvelope(): boolean {
    return this.measures.get(sharedScale) === undefined && this.measures.has(sharedScale) && this.curves.every(isNorm);
  }

  /** After a change of zoom or width: other samples are worth drawing. */
  private thinAnew(): void {
    const { min, max } = this.plot.scales.x;
    if (min === undefined || max === undefined || this.thinnedFor === `${min} ${max} ${this.plot.width}`) return;
    this.plot.setData(this.data(min, max, this.plot.width), false);
    this.plot.setScale("x", { min, max });
  }

  private options(curves: DrawnCurve[], place: HTMLElement): uPlot.Options {
    const colors = plotColors();
    const units = new Map([...this.measures.keys()].map((scale) => [scale, unitOf(curves, scale)]));
    const scales: uPlot.Scales = { x: { time: false, range: (plot, min, max) => this.timeRange(plot, min, max) } };
    for (const [scale, measure] of this.measures)
      scales[scaleName(scale)] = measure
        ? { range: (_plot, min, max) => openRange(min, max) }
        : { distr: 3, range: decadesAbove(curves.every(isNorm) ? leastNorm : logFloor(curves)) };
    return {
      width: Math.max(50, place.clientWidth),
      height: Math.max(50, place.clientHeight),
      scales,
      legend: { show: false },
      padding: [8, () => rightMargin + axisRoom * (this.host.rightAxes() - (units.size - 1)), 0, 0],
      series: [{}, ...curves.map((curve) => curveSeries(curve, this.measures.get(curve.scale)))],
      axes: [
        horizontalAxis(colors),
        ...[...units].map(([scale, unit], i) => verticalAxis(colors, scaleName(scale), unit, i === 0 ? 3 : 1, this.measures.get(scale))),
      ],
      cursor: {
        drag: { x: true, y: false, dist: 5 },
        sync: { key: "sarrus-time" },
        points: { size: 6 },
        bind: { mousedown: (_plot, _target, press) => (event) => (this.grab(event) ? null : press(event)) },
      },
      hooks: {
        setScale: [(_plot, key) => key === "x" && this.zoomed()],
        setCursor: [(plot) => this.host.hover(plot.cursor.idx == null ? undefined : plot.data[0][plot.cursor.idx])],
        drawAxes: [(plot) => drawEvents(plot, this.host.eventTimes(), colors.mark)],
      },
    };
  }

  /** Unzoomed, every plot shows the time of the whole report, even if its own run ended early. */
  private timeRange(plot: uPlot, min: number, max: number): [number, number] {
    const times = plot.data[0];
    const whole = !(min > times[0] || max < times[times.length - 1]);
    const [from, to] = whole ? [this.host.start, this.host.end] : [min, max];
    return from === to ? [from - 0.5, to + 0.5] : [from, to];
  }

  /** Takes hold of the time mark, unless the press is meant for zooming. */
  private grab(event: MouseEvent): boolean {
    const mark = this.plot.valToPos(this.host.time(), "x");
    if (!event.shiftKey && Math.abs(this.xOf(event) - mark) > nearMark) return false;
    this.scrub(event);
    return true;
  }

  private scrub(event: MouseEvent): void {
    const move = (moved: MouseEvent) => this.host.seek(this.plot.posToVal(this.xOf(moved), "x"));
    const release = () => {
      window.removeEventListener("mousemove", move);
      window.removeEventListener("mouseup", release);
    };
    window.addEventListener("mousemove", move);
    window.addEventListener("mouseup", release);
    move(event);
  }

  private listen(): void {
    const { over, root } = this.plot;
    over.addEventListener("mousedown", (event) => (this.pressedAt = [event.clientX, event.clientY]));
    over.addEventListener("click", (event) => {
      const [x, y] = this.pressedAt ?? [event.clientX, event.clientY];
      if (Math.hypot(event.clientX - x, event.clientY - y) < 4) this.host.seek(this.plot.posToVal(this.xOf(event), "x"));
    });
    const axis = root.querySelector<HTMLElement>(".u-axis");
    axis?.addEventListener("mousedown", (event) => this.scrub(event));
    axis?.classList.add("scrub-axis");
  }

  private xOf(event: MouseEvent): number {
    return event.clientX - this.plot.over.getBoundingClientRect().left;
  }

  private zoomed(): void {
    if (!this.plot) return; // still being made
    const { min, max } = this.plot.scales.x;
    if (min !== undefined && max !== undefined) this.host.zoomed(min, max);
    queueMicrotask(() => this.plot.root.isConnected && this.thinAnew());
    this.moveTo(this.host.time());
  }
}

function scaleName(scale: string): string {
  return `scale ${scale}`;
}

/** What a scale's axis is labelled with: nothing, where it holds several units. */
function unitOf(curves: DrawnCurve[], scale: string): string {
  const units = new Set(curves.filter((curve) => curve.scale === scale).map((curve) => curve.entry.unit));
  return units.size === 1 ? [...units][0] : "";
}

function hasPositive(curves: DrawnCurve[]): boolean {
  return curves.some((curve) => curve.y.some((value) => value > 0));
}

/** Norms of constraints drop to rounding noise now and then; the scale stays with what they usually are. */
function logFloor(curves: DrawnCurve[]): number {
  const values: number[] = [];
  for (const curve of curves) {
    const stride = Math.max(1, Math.floor(curve.y.length / 2000));
    for (let i = 0; i < curve.y.length; i += stride) if (curve.y[i] > 0 && curve.y[i] < Infinity) values.push(curve.y[i]);
  }
  values.sort((a, b) => a - b);
  return (values[Math.floor(values.length / 5)] ?? 0) / 1000;
}

function isNorm(curve: Curve): boolean {
  return curve.entry.group === "constraints";
}

function curveSeries(curve: DrawnCurve, measure: Measure | undefined): uPlot.Series {
  const jump = wrapOf(curve.entry) / (measure?.factor ?? 1);
  return {
    label: curve.label,
    scale: scaleName(curve.scale),
    stroke: curve.color,
    width: curve.width,
    dash: curve.dash,
    paths: (plot, series, first, last) => ({ stroke: linePath(plot, series, scaleName(curve.scale), first, last, jump) }),
    points: { show: curve.times.length < 3, size: 5, fill: curve.color },
  };
}

/** Straight from value to value. Lines break where there is none, and where turns wrap around. */
function linePath(plot: uPlot, series: number, scale: string, first: number, last: number, jump: number): Path2D {
  const path = new Path2D();
  const times = plot.data[0];
  const values = plot.data[series];
  let before: number | null = null;
  for (let i = first; i <= last; ++i) {
    const value = values[i];
    if (value === undefined) continue; // a time of another curve
    if (value !== null) {
      const x = plot.valToPos(times[i], "x", true);
      const y = plot.valToPos(value, scale, true);
      if (before === null || Math.abs(value - before) > jump) path.moveTo(x, y);
      else path.lineTo(x, y);
    }
    before = value;
  }
  return path;
}

function measuresOf(curves: DrawnCurve[], logarithmic: boolean): Map<string, Measure | undefined> {
  if (logarithmic && hasPositive(curves)) return new Map([[sharedScale, undefined]]);
  const measures = new Map<string, Measure | undefined>();
  for (const scale of new Set(curves.map((curve) => curve.scale)))
    measures.set(scale, new Measure(rangeOf(curves.filter((curve) => curve.scale === scale).map((curve) => curve.y))));
  return measures;
}

/** What is drawn of the curves, all over one list of times. */
function alignedData(curves: DrawnCurve[], measures: Map<string, Measure | undefined>, thin: (drawn: Drawn) => Drawn): uPlot.AlignedData {
  if (curves.length === 0) return [[]];
  const plotted = (curve: DrawnCurve, values: ArrayLike<number>) => Array.from(values, (value) => plottedValue(curve, value, measures.get(curve.scale)));
  if (curves.every((curve) => curve.x === curves[0].x)) {
    const { x, ys } = thin({ x: curves[0].x, ys: curves.map((curve) => curve.y) });
    return [Array.from(x), ...ys.map((values, i) => plotted(curves[i], values))];
  }
  const tables = curves.map((curve) => {
    const { x, ys } = thin({ x: curve.x, ys: [curve.y] });
    return [Array.from(x), plotted(curve, ys[0])] as uPlot.AlignedData;
  });
  return uPlot.join(tables);
}

/** Not a number is a gap; so is what a logarithm does not reach. Norms below what numbers can tell lie at the floor. */
function plottedValue(curve: DrawnCurve, value: number, measure: Measure | undefined): number | null {
  if (!Number.isFinite(value)) return null;
  if (measure) return measure.plotted(value);
  if (isNorm(curve) && value < leastNorm) return leastNorm;
  return value > 0 ? value : null;
}

function drawEvents(plot: uPlot, times: number[], color: string): void {
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.globalAlpha = 0.45;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  let last = -Infinity;
  for (const time of times) {
    const x = Math.round(plot.valToPos(time, "x", true));
    if (x < plot.bbox.left || x > plot.bbox.left + plot.bbox.width || x - last < 2) continue;
    last = x;
    ctx.beginPath();
    ctx.moveTo(x, plot.bbox.top);
    ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
