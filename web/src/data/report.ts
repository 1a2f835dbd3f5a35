import { Catalog } from "./catalog.ts";
import { columnLength, decodeFloats } from "./columns.ts";
import type { ReportData, RunData } from "./format.ts";
import { Motion } from "./motion.ts";

export const readableFormat = 1;

/** What keeps a report from being shown, in words for its reader. */
export class ReportProblem extends Error {}

/** One run, its columns decoded when they are first asked for. */
export class Run {
  readonly name: string;
  readonly times: Float64Array;
  readonly hasPoses: boolean;
  private decoded: Motion | undefined;

  constructor(
    readonly data: RunData,
    readonly index: number,
    private readonly bodies: number,
  ) {
    this.name = data.name || `run ${index + 1}`;
    this.times = Float64Array.from(decodeFloats(data.times));
    this.hasPoses = bodies > 0 && this.times.length > 0 && columnLength(data.poses) >= bodies * 7;
  }

  get start(): number {
    return this.times[0] ?? 0;
  }

  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  motion(): Motion {
    this.decoded ??= new Motion(this.times, decodeFloats(this.data.poses), this.bodies);
    return this.decoded;
  }
}

export class Report {
  readonly runs: Run[];
  readonly catalog: Catalog;
  readonly start: number;
  readonly end: number;

  constructor(readonly data: ReportData) {
    this.runs = data.runs.map((run, index) => new Run(run, index, data.scene.bodies.length));
    this.catalog = new Catalog(this.runs);
    this.start = Math.min(...this.runs.map((run) => run.start));
    this.end = Math.max(...this.runs.map((run) => run.end));
  }

  get isComparison(): boolean {
    return this.data.kind === "comparison" || this.runs.length > 1;
  }
}

export function readReport(text: string | null | undefined): Report {
  if (!text)
    throw new ReportProblem(
      "There are no data in this page. It is the empty page that Sarrus fills with the results of a run; open a report that was written by the program.",
    );
  let data: ReportData;
  try {
    data = JSON.parse(text) as ReportData;
  } catch {
    throw new ReportProblem("The data in this page are damaged or cut off. Was the file copied completely?");
  }
  if (typeof data.format !== "number") throw new ReportProblem("The data in this page are not those of a Sarrus report.");
  if (data.format > readableFormat)
    throw new ReportProblem(
      `This report has format ${data.format}, newer than format ${readableFormat}, the newest this page can read. Write it again with one version of the program.`,
    );
  if (!data.scene?.bodies || !data.runs?.length) throw new ReportProblem("There is no run in this report, so there is nothing to show.");
  try {
    return new Report(data);
  } catch (problem) {
    throw new ReportProblem(`The data in this page are damaged: ${(problem as Error).message}.`);
  }
}
