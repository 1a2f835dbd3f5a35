// Reads the CSV files of a run as series, to compare them with what the page plots.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const keyColumns = { energy: 0, constraints: 0, joints: 2, reactions: 1, bodies: 1 };

/** Cells of a line; names may be quoted. */
function cells(line) {
  if (!line.includes('"')) return line.split(",");
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)]
    .map((match) => match[1])
    .slice(0, -1)
    .map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

/** The series "group\nelement\nname" of one file: times and values. */
export function readSeries(folder, group) {
  const [header, ...rows] = readFileSync(join(folder, `${group}.csv`), "utf8").trimEnd().split("\n").map(cells);
  const keys = keyColumns[group];
  const found = new Map();
  for (const row of rows)
    for (let i = 1 + keys; i < header.length; ++i) {
      const name = keys > 1 ? `${row[2]} ${header[i]}` : header[i];
      const key = [group, keys > 0 ? row[1] : "", name].join("\n");
      if (!found.has(key)) found.set(key, { x: [], y: [] });
      found.get(key).x.push(Number(row[0]));
      found.get(key).y.push(Number(row[i]));
    }
  return found;
}

/** Columns of a table as the page exports it. */
export function parseTable(text) {
  const [header, ...rows] = text.trimEnd().split("\n").map(cells);
  return new Map(header.map((name, i) => [name, rows.map((row) => Number(row[i]))]));
}
