import type { Report } from "../data/report.ts";
import type { Clock } from "../play/clock.ts";
import type { Board } from "../plots/board.ts";
import type { Stage } from "../stage/stage.ts";

/** One curve as it is plotted: the numbers themselves, not their pixels. */
export interface PlottedCurve {
  panel: number;
  run: string;
  group: string;
  element: string;
  name: string;
  unit: string;
  /** Along the horizontal axis: time, or another series. */
  x: Float64Array;
  y: Float64Array;
}

/**
 * `window.sarrusReport`, by which tests and curious viewers speak to the page:
 *
 *   await sarrusReport.ready        the page is built and its first frame drawn; holds milliseconds since it was opened
 *   sarrusReport.time()             the time shown [s]
 *   sarrusReport.play(), .pause(), .seek(time)
 *   sarrusReport.playing()
 *   sarrusReport.frames()           frames of the animation drawn so far; stays 0 without WebGL
 *   sarrusReport.plotted()          every curve of every panel, with its numbers
 *   sarrusReport.plot(names, against)   adds a panel; a name is [group, element, name], as in the series
 *   sarrusReport.csv(panel)         what the panel's save button writes
 *   sarrusReport.problem            why nothing is shown, where that is so
 */
export interface Surface {
  ready: Promise<number>;
  problem?: string;
  time(): number;
  play(): void;
  pause(): void;
  playing(): boolean;
  seek(time: number): void;
  frames(): number;
  plotted(): PlottedCurve[];
  plot(names: [string, string, string][], against?: [string, string, string]): void;
  csv(panel: number): string;
}

declare global {
  interface Window {
    sarrusReport?: Surface | { ready: Promise<number>; problem: string };
  }
}

export function makeSurface(report: Report, clock: Clock, board: Board, stage: Stage | undefined, ready: Promise<number>): Surface {
  const entry = (name: [string, string, string]) => {
    const found = report.catalog.find(...name);
    if (!found) throw new Error(`there is no series ${name.join(" ")}`);
    return found;
  };
  return {
    ready,
    time: () => clock.time,
    play: () => clock.play(),
    pause: () => clock.pause(),
    playing: () => clock.playing,
    seek: (time) => clock.seek(time),
    frames: () => stage?.frames ?? 0,
    plotted: () =>
      board.all().flatMap((panel, index) =>
        panel.curves.map(({ run, entry: { group, element, name, unit }, x, y }) => ({ panel: index, run: run.name, group, element, name, unit, x, y })),
      ),
    plot: (names, against) => {
      board.add({ entries: names.map(entry), against: against && entry(against), logarithmic: false });
    },
    csv: (panel) => board.all()[panel].csv(),
  };
}
