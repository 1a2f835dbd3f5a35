import type { Report, Run } from "../data/report.ts";
import { element, icon } from "../page/dom.ts";
import type { Clock } from "../play/clock.ts";
import { lineColor } from "../stage/colors.ts";
import { defaultPanels } from "./defaults.ts";
import type { PanelSettings } from "./lines.ts";
import { Panel, type PanelHost } from "./panel.ts";
import { Picker } from "./picker.ts";

/** All plots, in one grid: they share time, zoom and the choice of runs. */
export class Board implements PanelHost {
  readonly root: HTMLElement;
  zoom: [number, number] | undefined;
  private readonly grid = element("div", { class: "panels" });
  private readonly picker: Picker;
  private panels: Panel[] = [];
  private readonly hidden = new Set<Run>();
  private roomFor = 0;
  private hovered: number | undefined;

  constructor(
    readonly report: Report,
    private readonly clock: Clock,
  ) {
    this.picker = new Picker(report.catalog);
    const add = element("button", { type: "button", class: "button add", click: () => this.addEmpty() }, icon("plus"), "Add a plot");
    this.root = element("div", { class: "board" }, report.isComparison && this.runChips(), this.grid, add, this.picker.dialog);
    clock.onTime((time) => this.moveTo(time));
  }

  get start(): number {
    return this.clock.start;
  }

  get end(): number {
    return this.clock.end;
  }

  /** Once the page is laid out: plots need to know how large they are. */
  open(): void {
    for (const settings of defaultPanels(this.report)) this.add(settings);
  }

  all(): readonly Panel[] {
    return this.panels;
  }

  time(): number {
    return this.clock.time;
  }

  seek(time: number): void {
    this.clock.seek(time);
  }

  hover(time: number | undefined): void {
    if (time === this.hovered) return;
    this.hovered = time;
    for (const panel of this.panels) panel.showValues(time ?? this.clock.time);
  }

  zoomed(from: number, to: number): void {
    const whole = from <= this.start && to >= this.end;
    const same = whole ? this.zoom === undefined : this.zoom?.[0] === from && this.zoom[1] === to;
    if (same) return; // the plots that follow report their zoom as well
    this.zoom = whole ? undefined : [from, to];
    for (const panel of this.panels) panel.zoomTo(from, to);
  }

  eventTimes(): number[] {
    return this.shownRuns().flatMap((run) => (run.data.events ?? []).map((event) => event.time));
  }

  shownRuns(): Run[] {
    return this.report.runs.filter((run) => !this.hidden.has(run));
  }

  choose(panel: Panel): void {
    this.picker.open(panel.settings, () => panel.refresh());
  }

  remove(panel: Panel): void {
    this.panels = this.panels.filter((other) => other !== panel);
    panel.dispose();
    this.changed();
  }

  changed(): void {
    const shown = new Set(this.panels.flatMap((panel) => panel.curves.flatMap(({ x, y }) => [x, y])));
    this.report.catalog.keepOnly(shown);
    const most = this.rightAxes();
    if (most === this.roomFor) return;
    this.roomFor = most;
    for (const panel of this.panels) panel.relayout();
  }

  rightAxes(): number {
    return Math.max(0, ...this.panels.map((panel) => panel.rightAxes));
  }

  add(settings: PanelSettings): Panel {
    const panel = new Panel(settings, this);
    this.panels.push(panel);
    this.grid.append(panel.card);
    panel.refresh();
    return panel;
  }

  /** After the page's colours have changed. */
  refresh(): void {
    for (const panel of this.panels) panel.refresh();
  }

  private addEmpty(): void {
    const panel = this.add({ entries: [], logarithmic: false });
    panel.card.scrollIntoView({ block: "nearest" });
    this.choose(panel);
  }

  private moveTo(time: number): void {
    for (const panel of this.panels) panel.moveTo(time);
    if (this.hovered !== undefined) for (const panel of this.panels) panel.showValues(this.hovered);
  }

  private runChips(): HTMLElement {
    const chips = this.report.runs.map((run) => {
      const swatch = element("i", { class: "swatch" });
      swatch.style.setProperty("--color", lineColor(run.index));
      const chip = element("button", { type: "button", class: "chip run", "aria-pressed": "true" }, swatch, run.name);
      chip.addEventListener("click", () => {
        if (!this.hidden.delete(run)) this.hidden.add(run);
        chip.setAttribute("aria-pressed", String(!this.hidden.has(run)));
        this.refresh();
      });
      return chip;
    });
    return element("div", { class: "chips runs", role: "group", "aria-label": "Runs shown in the plots" }, ...chips);
  }
}
