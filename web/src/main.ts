import "uplot/dist/uPlot.min.css";
import "./style.css";
import { readReport, type Report, ReportProblem } from "./data/report.ts";
import { divider } from "./page/divider.ts";
import { element } from "./page/dom.ts";
import { failureBanner } from "./page/failures.ts";
import { pageHead } from "./page/head.ts";
import { makeSurface } from "./page/surface.ts";
import { tabs } from "./page/tabs.ts";
import { ThemeSwitch } from "./page/theme.ts";
import { comparisonPanel } from "./panels/comparison.ts";
import { allEvents, eventsPanel } from "./panels/events.ts";
import { summaryPanel } from "./panels/summary.ts";
import { Clock } from "./play/clock.ts";
import { listenToKeys } from "./play/keys.ts";
import { transportBar } from "./play/transport.ts";
import { Board } from "./plots/board.ts";
import { View } from "./stage/view.ts";

const root = document.getElementById("page") as HTMLElement;

function start(): void {
  let report: Report;
  try {
    const data = document.getElementById("sarrus-report");
    report = readReport(data?.textContent);
    data?.remove(); // its text would stay in memory a second time
  } catch (problem) {
    if (!(problem instanceof ReportProblem)) throw problem;
    showProblem(problem.message);
    return;
  }
  buildPage(report);
}

function buildPage(report: Report): void {
  document.title = `${report.data.title || "Report"} – Sarrus`;
  const clock = new Clock(report.start, report.end);
  const theme = new ThemeSwitch();
  const board = new Board(report, clock);
  const view = new View(report);
  const { stage } = view;
  const events = allEvents(report);
  const samples = Math.max(...report.runs.map((run) => run.times.length));
  const side = tabs([
    { name: "plots", label: "Plots", content: board.root },
    ...(report.data.table ? [{ name: "comparison", label: "Comparison", content: comparisonPanel(report) }] : []),
    { name: "summary", label: "Summary", content: summaryPanel(report) },
    ...(events.length ? [{ name: "events", label: `Events (${events.length})`, content: eventsPanel(events, clock) }] : []),
  ]);
  const work = element("main", { class: "work" });
  work.append(view.root, divider(work), side);
  const failures = failureBanner(report);
  const head = pageHead(report, theme, (run) => stage?.show(run));
  root.replaceChildren(head, ...(failures ? [failures] : []), work, transportBar(clock, events, samples));

  const first = report.runs.find((run) => run.hasPoses);
  if (first) stage?.show(first);
  stage?.colors(theme.isDark);
  theme.onChange((isDark) => {
    stage?.colors(isDark);
    board.refresh();
  });
  clock.onTime((time) => stage?.moveTo(time));
  listenToKeys(clock, (clock.end - clock.start) / Math.max(1, samples - 1), () => stage?.viewpoint.fit());
  board.open();
  const ready = run(clock, () => stage?.frame());
  window.sarrusReport = makeSurface(report, clock, board, stage, ready);
}

/** The loop that moves time on; holds when the first frame is drawn. */
function run(clock: Clock, draw: () => void): Promise<number> {
  return new Promise((resolve) => {
    let last: number | undefined;
    const frame = (now: number) => {
      // A tab that was in the background comes back after any time; the motion does not jump for it.
      const seconds = last === undefined ? 0 : Math.min(0.25, (now - last) / 1000);
      last = now;
      clock.advance(seconds);
      draw();
      resolve(performance.now());
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
  });
}

function showProblem(text: string): void {
  document.title = "Sarrus";
  root.replaceChildren(element("div", { class: "notice whole", role: "alert" }, element("h1", {}, "This report cannot be shown"), element("p", {}, text)));
  window.sarrusReport = { ready: Promise.resolve(performance.now()), problem: text };
}

start();
