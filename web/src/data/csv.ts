/** One line of a plot as it is exported. */
export interface CsvColumn {
  name: string;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

/** The shortest text that parses back to the same double. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}

export function quoted(name: string): string {
  return /[",\n\r]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** A table with one row for each instant at which any column has a value; cells without one stay empty.
 *  A time that is no number comes as soon as it is met. */
export function toCsv(columns: CsvColumn[]): string {
  const lines = [["time", ...columns.map((column) => quoted(column.name))].join(",")];
  const next = columns.map(() => 0);
  for (;;) {
    const open = columns.flatMap(({ times }, i) => (next[i] < times.length ? [times[next[i]]] : []));
    if (open.length === 0) break;
    const time = Math.min(...open); // not a number, if one of them is
    const cells = columns.map((column, i) => (isSame(column.times[next[i]], time) ? numberText(column.values[next[i]++]) : ""));
    lines.push([numberText(time), ...cells].join(","));
  }
  return `${lines.join("\n")}\n`;
}

function isSame(time: number | undefined, other: number): boolean {
  return time === other || (time !== undefined && Number.isNaN(time) && Number.isNaN(other));
}
