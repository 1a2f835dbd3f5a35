import type { Report } from "../data/report.ts";
import { element } from "../page/dom.ts";
import { timeText } from "../page/numbers.ts";
import { VirtualList } from "../page/virtual_list.ts";
import type { Clock } from "../play/clock.ts";

export interface NamedEvent {
  time: number;
  text: string;
  run: string;
}

/** Events of all runs in order of time; runs are named only where there are several. */
export function allEvents(report: Report): NamedEvent[] {
  const events = report.runs.flatMap((run) =>
    (run.data.events ?? []).map(({ time, text }) => ({ time, text, run: report.runs.length > 1 ? run.name : "" })),
  );
  return events.sort((a, b) => a.time - b.time);
}

export function eventText(event: NamedEvent, span: number): string {
  return `${timeText(event.time, span)} s: ${event.text}${event.run ? ` (${event.run})` : ""}`;
}

/** What happened and when; a press goes there. */
export function eventsPanel(events: NamedEvent[], clock: Clock): HTMLElement {
  const list = new VirtualList(34, { class: "virtual events", "aria-label": "Events" }, (i) => {
    const event = events[i];
    return element(
      "button",
      { type: "button", class: "row", title: event.text, click: () => clock.seek(event.time) },
      element("span", { class: "when" }, `${timeText(event.time, clock.end - clock.start)} s`),
      element("span", { class: "label" }, event.text),
      element("span", { class: "group" }, event.run),
    );
  });
  list.setCount(events.length);
  return list.root;
}
