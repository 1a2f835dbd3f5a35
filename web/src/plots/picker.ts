import type { Catalog, Entry } from "../data/catalog.ts";
import { element, icon, iconButton } from "../page/dom.ts";
import { VirtualList } from "../page/virtual_list.ts";
import type { PanelSettings } from "./lines.ts";

type Axis = "vertical" | "horizontal";

/** The dialog in which series are found by typing, and chosen for a panel. */
export class Picker {
  readonly dialog: HTMLDialogElement;
  private readonly search = element("input", {
    type: "text",
    placeholder: "Type to find: coupler px, J1 angle, energy …",
    "aria-label": "Find series",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "picker-list",
    autocomplete: "off",
    spellcheck: "false",
  });
  private readonly count = element("span", { class: "count", "aria-live": "polite" });
  private readonly groups = element("div", { class: "chips", role: "group", "aria-label": "Groups" });
  private readonly axes = element("div", { class: "switch", role: "group", "aria-label": "Axis" });
  private readonly chosen = element("div", { class: "chosen", "aria-label": "Chosen series" });
  private readonly list: VirtualList;
  private found: (Entry | undefined)[] = []; // none stands for time
  private active = 0;
  private group = "";
  private axis: Axis = "vertical";
  private settings: PanelSettings | undefined;
  private changed: () => void = () => {};

  constructor(private readonly catalog: Catalog) {
    this.list = new VirtualList(30, { id: "picker-list", role: "listbox", "aria-multiselectable": "true", "aria-label": "Series" }, (i) => this.row(i));
    this.dialog = element(
      "dialog",
      { class: "picker", "aria-label": "Choose series" },
      element("header", {}, element("h2", {}, "Choose series"), this.axes, iconButton("close", "Close", () => this.dialog.close())),
      element("label", { class: "search" }, icon("search"), this.search, this.count),
      this.groups,
      this.list.root,
      this.chosen,
    );
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => this.key(event));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  open(settings: PanelSettings, changed: () => void): void {
    this.settings = settings;
    this.changed = changed;
    this.axis = "vertical";
    this.search.value = "";
    this.dialog.showModal();
    this.find();
    this.search.focus();
  }

  private find(): void {
    this.drawGroups();
    this.drawAxes();
    const entries: (Entry | undefined)[] = this.catalog.search(this.search.value, this.group);
    if (this.axis === "horizontal" && "time".includes(this.search.value.trim().toLowerCase()) && !this.group) entries.unshift(undefined);
    this.found = entries;
    this.active = 0;
    this.count.textContent = entries.length === 0 ? "nothing found" : `${entries.length} found`;
    this.list.root.scrollTop = 0;
    this.list.setCount(entries.length);
    this.drawChosen();
  }

  private drawGroups(): void {
    const chip = (group: string, label: string) =>
      element(
        "button",
        { type: "button", class: "chip", "aria-pressed": String(group === this.group), click: () => this.setGroup(group) },
        label,
      );
    this.groups.replaceChildren(chip("", "all"), ...this.catalog.groups().map((group) => chip(group, group)));
  }

  private drawAxes(): void {
    const button = (axis: Axis, label: string) =>
      element("button", { type: "button", "aria-pressed": String(axis === this.axis), click: () => this.setAxis(axis) }, label);
    const against = this.settings?.against?.label ?? "time";
    this.axes.replaceChildren(button("vertical", "Plotted"), button("horizontal", `Against: ${against}`));
  }

  private setGroup(group: string): void {
    this.group = group;
    this.find();
  }

  private setAxis(axis: Axis): void {
    this.axis = axis;
    this.find();
    this.search.focus();
  }

  private isChosen(entry: Entry | undefined): boolean {
    if (this.axis === "horizontal") return this.settings?.against === entry;
    return entry !== undefined && (this.settings?.entries.includes(entry) ?? false);
  }

  private row(index: number): HTMLElement {
    const entry = this.found[index];
    const row = element(
      "div",
      {
        class: index === this.active ? "row active" : "row",
        role: "option",
        id: `picker-row-${index}`,
        "aria-selected": String(this.isChosen(entry)),
        click: () => this.toggle(index),
      },
      element("i", { class: "tick" }),
      element("span", { class: "label" }, entry ? entry.label : "time"),
      element("span", { class: "unit" }, entry ? entry.unit : "s"),
      element("span", { class: "group" }, entry ? entry.group : ""),
    );
    if (index === this.active) this.search.setAttribute("aria-activedescendant", row.id);
    return row;
  }

  private toggle(index: number): void {
    const entry = this.found[index];
    if (!this.settings) return;
    this.active = index;
    if (this.axis === "horizontal") this.settings.against = entry;
    else if (entry) toggleEntry(this.settings, entry);
    this.drawAxes();
    this.list.draw();
    this.drawChosen();
    this.changed();
  }

  private drawChosen(): void {
    const entries = this.settings?.entries ?? [];
    const chips = entries.slice(0, 40).map((entry) => {
      const remove = () => {
        toggleEntry(this.settings as PanelSettings, entry);
        this.list.draw();
        this.drawChosen();
        this.changed();
      };
      return element("button", { type: "button", class: "chip", title: "Take out", click: remove }, entry.label, icon("close"));
    });
    this.chosen.replaceChildren(...chips, entries.length ? "" : "Nothing is chosen yet.");
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    if (event.key in steps) {
      this.active = Math.min(this.found.length - 1, Math.max(0, this.active + steps[event.key]));
      this.list.reveal(this.active);
    } else if (event.key === "Enter" && this.found.length) this.toggle(this.active);
    else return;
    event.preventDefault();
  }
}

function toggleEntry(settings: PanelSettings, entry: Entry): void {
  const at = settings.entries.indexOf(entry);
  if (at >= 0) settings.entries.splice(at, 1);
  else settings.entries.push(entry);
}
