import { element } from "../page/dom.ts";
import { timeText } from "../page/numbers.ts";
import { eventText, type NamedEvent } from "../panels/events.ts";
import type { Clock } from "./clock.ts";

const mostMarks = 400; // marks closer than a pixel or two cannot be told apart

/** The bar along which the time is moved, with marks where something happened. */
export class Timeline {
  readonly root: HTMLElement;
  private readonly bar: HTMLInputElement;
  private readonly fill = element("div", { class: "fill" });

  constructor(
    private readonly clock: Clock,
    events: NamedEvent[],
    samples: number,
  ) {
    const span = clock.end - clock.start;
    this.bar = element("input", { type: "range", min: 0, max: 10000, step: "any", value: 0, "aria-label": "Time" });
    this.bar.disabled = span <= 0;
    this.bar.addEventListener("input", () => clock.seek(clock.start + (Number(this.bar.value) / 10000) * span));
    this.bar.addEventListener("keydown", (event) => this.step(event, span / Math.max(1, samples - 1)));
    this.root = element("div", { class: "timeline" }, element("div", { class: "track" }, this.fill), this.marks(events, span), this.bar);
    clock.onTime((time) => this.moveTo(time));
    this.moveTo(clock.time);
  }

  private moveTo(time: number): void {
    const span = this.clock.end - this.clock.start;
    const part = span > 0 ? (time - this.clock.start) / span : 0;
    this.bar.value = String(part * 10000);
    this.bar.setAttribute("aria-valuetext", `${timeText(time, span)} seconds`);
    this.fill.style.width = `${part * 100}%`;
  }

  // The browser's own step along a bar this fine would be one ten-thousandth.
  private step(event: KeyboardEvent, sample: number): void {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    this.clock.seek(this.clock.time + steps[event.key] * sample);
  }

  private marks(events: NamedEvent[], span: number): HTMLElement {
    const marks = element("div", { class: "marks" });
    if (span <= 0) return marks;
    let last = -Infinity;
    for (const event of events) {
      const part = (event.time - this.clock.start) / span;
      if (part < 0 || part > 1 || part - last < 1 / mostMarks) continue;
      last = part;
      const label = eventText(event, span);
      const mark = element("button", { type: "button", class: "mark", "aria-label": label, "data-tip": label, click: () => this.clock.seek(event.time) });
      mark.tabIndex = -1; // hundreds of them would be in the way of the tab key, which finds the list of events
      mark.style.left = `${part * 100}%`;
      if (part > 0.6) mark.classList.add("left");
      marks.append(mark);
    }
    return marks;
  }
}
