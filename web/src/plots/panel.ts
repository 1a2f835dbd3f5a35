import { toCsv } from "../data/csv.ts";
import { locate } from "../data/motion.ts";
import type { Report, Run } from "../data/report.ts";
import { element, iconButton, saveText } from "../page/dom.ts";
import { readable } from "../page/numbers.ts";
import { type Curve, csvColumns, curvesOf, panelTitle, type PanelSettings } from "./lines.ts";
import { PathPlot } from "./path_plot.ts";
import type { Plot, PlotHost } from "./plot.ts";
import { TimePlot } from "./time_plot.ts";

const mostNamed = 24; // curves in the legend; more would leave no room for the plot

export interface PanelHost extends PlotHost {
  report: Report;
  shownRuns(): Run[];
  choose(panel: Panel): void;
  remove(panel: Panel): void;
  /** A panel shows other values than before. */
  changed(): void;
}

/** A card with a plot, its legend and its buttons. */
export class Panel {
  readonly card: HTMLElement;
  curves: Curve[] = [];
  private plot: Plot | undefined;
  private readonly title = element("h3");
  private readonly legend = element("div", { class: "legend" });
  private readonly place = element("div", { class: "plot" });
  private readonly logButton: HTMLButtonElement;
  private values: HTMLElement[] = [];
  private readonly observer: ResizeObserver;

  constructor(
    readonly settings: PanelSettings,
    private readonly host: PanelHost,
  ) {
    this.logButton = element("button", { type: "button", class: "text-button", title: "Logarithmic scale", click: () => this.toggleLog() }, "log");
    this.card = element(
      "section",
      { class: "panel" },
      element(
        "header",
        {},
        this.title,
        this.logButton,
        iconButton("series", "Choose what is plotted", () => host.choose(this)),
        iconButton("download", "Save what is plotted as CSV", () => this.save()),
        iconButton("close", "Close this plot", () => host.remove(this)),
      ),
      this.legend,
      this.place,
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.place);
  }

  /** Axes to the right: one for each unit but the first. */
  get rightAxes(): number {
    if (this.settings.against || this.settings.logarithmic || this.curves.length === 0) return 0;
    return new Set(this.curves.map((curve) => curve.entry.unit)).size - 1;
  }

  relayout(): void {
    this.plot?.relayout();
  }

  /** Builds the plot anew: other series, other runs or other colours. */
  refresh(): void {
    this.curves = curvesOf(this.host.report, this.settings, this.host.shownRuns());
    const heading = panelTitle(this.settings);
    this.title.textContent = heading;
    this.title.title = heading;
    this.card.setAttribute("aria-label", `Plot: ${heading}`);
    this.logButton.setAttribute("aria-pressed", String(this.settings.logarithmic));
    this.card.classList.toggle("tall", this.settings.against !== undefined);
    this.logButton.hidden = this.settings.against !== undefined;
    this.drawLegend();
    this.plot?.destroy();
    this.plot = undefined;
    this.place.replaceChildren();
    if (this.curves.length === 0) this.place.append(this.emptyNote());
    else this.plot = this.makePlot();
    this.moveTo(this.host.time());
    this.host.changed();
  }

  /** Lets go of what would outlive the card: plots listen to the window and to each other. */
  dispose(): void {
    this.observer.disconnect();
    this.plot?.destroy();
    this.plot = undefined;
    this.curves = [];
    this.values = [];
    this.card.remove();
  }

  moveTo(time: number): void {
    this.plot?.moveTo(time);
    this.showValues(time);
  }

  /** Values in the legend at the nearest sample. */
  showValues(time: number): void {
    this.values.forEach((value, i) => {
      const { times, y } = this.curves[i];
      const [sample, part] = locate(times, time);
      const text = readable(y[part > 0.5 ? sample + 1 : sample] ?? NaN, 5);
      if (value.textContent !== text) value.textContent = text;
    });
  }

  zoomTo(from: number, to: number): void {
    this.plot?.zoomTo(from, to);
  }

  csv(): string {
    return toCsv(csvColumns(this.curves, this.settings, this.host.report.runs.length > 1));
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.place;
    if (clientWidth === 0 || clientHeight === 0) return; // behind another tab: it comes back as it was
    this.plot?.resize(Math.max(50, clientWidth), Math.max(50, clientHeight));
  }

  private makePlot(): Plot {
    const { against, logarithmic } = this.settings;
    if (!against) return new TimePlot(this.curves, logarithmic, this.place, this.host);
    return new PathPlot(this.curves, against, this.place, this.host);
  }

  private drawLegend(): void {
    this.legend.replaceChildren();
    this.values = [];
    for (const curve of this.curves.slice(0, mostNamed)) {
      const value = element("span", { class: "value" });
      const swatch = element("i", { class: curve.dash.length ? "swatch dashed" : "swatch" });
      swatch.style.setProperty("--color", curve.color);
      const name = element("span", { class: "name", title: curve.label }, curve.label);
      this.legend.append(element("span", { class: "key" }, swatch, name, value));
      this.values.push(value);
    }
    if (this.curves.length > mostNamed) this.legend.append(element("span", { class: "key" }, `and ${this.curves.length - mostNamed} more`));
  }

  private emptyNote(): HTMLElement {
    const choose = element("button", { type: "button", class: "button", click: () => this.host.choose(this) }, "Choose series");
    return element("div", { class: "empty" }, element("p", {}, "Nothing is plotted here."), choose);
  }

  private toggleLog(): void {
    this.settings.logarithmic = !this.settings.logarithmic;
    this.refresh();
  }

  private save(): void {
    const name = `${this.host.report.data.title} ${panelTitle(this.settings)}`.replaceAll(/[^\p{L}\p{N}]+/gu, "_");
    saveText(`${name}.csv`, this.csv());
  }
}
