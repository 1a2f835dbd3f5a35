import { decodeFloats } from "./columns.ts";
import type { SeriesData } from "./format.ts";
import type { Run } from "./report.ts";

/** A quantity by name; in a comparison several runs have it. */
export interface Entry {
  /** Distinguishes it from all others. */
  key: string;
  group: string;
  element: string;
  name: string;
  unit: string;
  label: string;
}

type Source = SeriesData | ((run: Run) => Float64Array | undefined);

const groupOrder = ["energy", "constraints", "joints", "bodies", "reactions"];

/** All quantities that can be plotted. Values are decoded when they are asked for, and kept while they are shown. */
export class Catalog {
  readonly entries: Entry[] = [];
  private readonly byKey = new Map<string, Entry>();
  private readonly sources: Map<string, Source>[] = [];
  private readonly decoded = new Map<string, Float64Array>();
  private texts: string[] = [];

  constructor(private readonly runs: Run[]) {
    for (const run of runs) this.addRun(run);
    this.addDrift();
    const rank = (entry: Entry) => (groupOrder.indexOf(entry.group) + 1 || groupOrder.length + 1);
    this.entries.sort((a, b) => rank(a) - rank(b)); // stable: within a group the order is the model's
    this.texts = this.entries.map((entry) => `${entry.group} ${entry.label} ${entry.unit}`.toLowerCase());
  }

  find(group: string, element: string, name: string): Entry | undefined {
    return this.byKey.get(keyOf(group, element, name));
  }

  entry(key: string): Entry | undefined {
    return this.byKey.get(key);
  }

  groups(): string[] {
    return [...new Set(this.entries.map((entry) => entry.group))];
  }

  values(entry: Entry, run: Run): Float64Array | undefined {
    const id = `${run.index} ${entry.key}`;
    let values = this.decoded.get(id);
    if (values) return values;
    const source = this.sources[run.index]?.get(entry.key);
    if (!source) return undefined;
    values = typeof source === "function" ? source(run) : Float64Array.from(decodeFloats(source.values));
    if (values) this.decoded.set(id, values);
    return values;
  }

  /** Forgets all decoded values but these; they are decoded anew when they are asked for again. */
  keepOnly(shown: Set<Float64Array>): void {
    for (const [id, values] of this.decoded) if (!shown.has(values)) this.decoded.delete(id);
  }

  /** Entries that hold every word of the query somewhere in group, element, name or unit. */
  search(query: string, group = ""): Entry[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.entries.filter((entry, i) => {
      if (group && entry.group !== group) return false;
      return words.every((word) => this.texts[i].includes(word));
    });
  }

  private addRun(run: Run): void {
    const sources = new Map<string, Source>();
    this.sources[run.index] = sources;
    for (const series of run.data.series ?? []) {
      const entry = this.add(series.group, series.element ?? "", series.name, series.unit ?? "");
      sources.set(entry.key, series);
    }
  }

  private add(group: string, element: string, name: string, unit: string): Entry {
    const key = keyOf(group, element, name);
    let entry = this.byKey.get(key);
    if (!entry) {
      entry = { key, group, element, name, unit: unit.replaceAll("^2", "²"), label: labelOf(group, element, name) };
      this.byKey.set(key, entry);
      this.entries.push(entry);
    }
    return entry;
  }

  // What tells integrators apart is not the energy, which looks alike for all, but how it drifts.
  private addDrift(): void {
    const total = this.find("energy", "", "total");
    if (!total) return;
    const supplied = this.find("energy", "", "supplied");
    const drift = this.add("energy", "", "drift", total.unit);
    drift.label = "drift (total − supplied − start)";
    for (const run of this.runs) {
      if (!this.sources[run.index].has(total.key) || this.sources[run.index].has(drift.key)) continue;
      this.sources[run.index].set(drift.key, () => {
        const energy = this.values(total, run);
        const work = supplied && this.values(supplied, run);
        return energy?.map((value, i) => value - (work?.[i] ?? 0) - (energy[0] - (work?.[0] ?? 0)));
      });
    }
  }
}

function keyOf(group: string, element: string, name: string): string {
  return JSON.stringify([group, element, name]);
}

function labelOf(group: string, element: string, name: string): string {
  if (element) return `${element} ${name}`;
  return group === "constraints" ? `${name} norm` : name;
}
