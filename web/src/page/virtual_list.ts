import { element } from "./dom.ts";

/** A list of any length that keeps elements only for the rows in view. All rows are equally high. */
export class VirtualList {
  readonly root: HTMLElement;
  private readonly filler = element("div", { class: "filler" });
  private count = 0;

  constructor(
    private readonly rowHeight: number,
    attributes: Record<string, string>,
    private readonly makeRow: (index: number) => HTMLElement,
  ) {
    this.root = element("div", { class: "virtual", ...attributes }, this.filler);
    this.root.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  setCount(count: number): void {
    this.count = count;
    this.filler.style.height = `${count * this.rowHeight}px`;
    this.draw();
  }

  draw(): void {
    const first = Math.max(0, Math.floor(this.root.scrollTop / this.rowHeight) - 3);
    const last = Math.min(this.count, Math.ceil((this.root.scrollTop + this.root.clientHeight) / this.rowHeight) + 3);
    const rows: HTMLElement[] = [];
    for (let i = first; i < last; ++i) {
      const row = this.makeRow(i);
      row.style.top = `${i * this.rowHeight}px`;
      row.style.height = `${this.rowHeight}px`;
      rows.push(row);
    }
    this.filler.replaceChildren(...rows);
  }

  reveal(index: number): void {
    const top = index * this.rowHeight;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    const bottom = top + this.rowHeight - this.root.clientHeight;
    if (bottom > this.root.scrollTop) this.root.scrollTop = bottom;
    this.draw();
  }
}
