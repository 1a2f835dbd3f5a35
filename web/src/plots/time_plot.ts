import uPlot from "uplot";
import { type Curve } from "./lines.ts";
import { decades, horizontalAxis, plotColors, verticalAxis } from "./look.ts";
import type { Plot, PlotHost } from "./plot.ts";

const nearMark = 7; // pixels within which a press takes hold of the time mark

/** Quantities over time. A click sets the time, dragging the mark or the axis below scrubs, dragging elsewhere zooms. */
export class TimePlot implements Plot {
  readonly plot: uPlot;
  private readonly mark = document.createElement("div");
  private pressedAt: [number, number] | undefined;

  constructor(
    curves: Curve[],
    logarithmic: boolean,
    place: HTMLElement,
    private readonly host: PlotHost,
  ) {
    const data = alignedData(curves, logarithmic);
    this.plot = new uPlot(this.options(curves, logarithmic, place), data, place);
    this.mark.className = "time-mark";
    this.plot.over.append(this.mark);
    this.plot.over.setAttribute("aria-hidden", "true");
    this.listen();
    if (host.zoom) this.zoomTo(...host.zoom);
    this.moveTo(host.time());
  }

  moveTo(time: number): void {
    const left = this.plot.valToPos(time, "x");
    const inside = left >= -1 && left <= this.plot.over.clientWidth + 1;
    this.mark.style.display = inside ? "" : "none";
    this.mark.style.transform = `translateX(${left}px)`;
  }

  resize(width: number, height: number): void {
    this.plot.setSize({ width, height });
    this.moveTo(this.host.time());
  }

  zoomTo(from: number, to: number): void {
    const { min, max } = this.plot.scales.x;
    if (min !== from || max !== to) this.plot.setScale("x", { min: from, max: to });
  }

  destroy(): void {
    this.plot.destroy();
  }

  private options(curves: Curve[], logarithmic: boolean, place: HTMLElement): uPlot.Options {
    const colors = plotColors();
    const units = [...new Set(curves.map((curve) => curve.entry.unit))];
    const scales: uPlot.Scales = { x: { time: false, range: (plot, min, max) => this.timeRange(plot, min, max) } };
    for (const unit of units) scales[scaleName(unit)] = logarithmic && hasPositive(curves, unit) ? { distr: 3, range: decades } : {};
    return {
      width: Math.max(50, place.clientWidth),
      height: Math.max(50, place.clientHeight),
      scales,
      legend: { show: false },
      padding: [8, 16, 0, 0],
      series: [{}, ...curves.map((curve) => curveSeries(curve))],
      axes: [
        horizontalAxis(colors, undefined, "s"),
        ...units.map((unit, i) => verticalAxis(colors, scaleName(unit), unit, i === 0 ? 3 : 1, scales[scaleName(unit)].distr === 3)),
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
    this.moveTo(this.host.time());
  }
}

function scaleName(unit: string): string {
  return `unit ${unit}`;
}

function hasPositive(curves: Curve[], unit: string): boolean {
  return curves.some((curve) => curve.entry.unit === unit && curve.y.some((value) => value > 0));
}

function curveSeries(curve: Curve): uPlot.Series {
  return {
    label: curve.label,
    scale: scaleName(curve.entry.unit),
    stroke: curve.color,
    width: 1.6,
    dash: curve.dash,
    points: { show: curve.times.length < 3, size: 5, fill: curve.color },
  };
}

/** Not a number is a gap; so is what a logarithm does not reach. */
function alignedData(curves: Curve[], logarithmic: boolean): uPlot.AlignedData {
  const tables = curves.map((curve) => {
    const log = logarithmic && hasPositive(curves, curve.entry.unit);
    const values = Array.from(curve.y, (value) => (Number.isFinite(value) && (!log || value > 0) ? value : null));
    return [curve.x, values] as [Float64Array, (number | null)[]];
  });
  if (tables.length === 0) return [[]];
  const shared = curves.every((curve) => curve.x === curves[0].x);
  if (shared) return [tables[0][0], ...tables.map((table) => table[1])];
  return uPlot.join(tables.map(([x, y]) => [Array.from(x), y]));
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
