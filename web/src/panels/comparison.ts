import type { TableData } from "../data/format.ts";
import type { Report } from "../data/report.ts";
import { element } from "../page/dom.ts";
import { readable } from "../page/numbers.ts";
import { lineColor } from "../stage/colors.ts";

type Cell = TableData["rows"][number][number];

/** The methods against each other; a press on a heading sorts. Below it those that did not take part, and why. */
export function comparisonPanel(report: Report): HTMLElement {
  const data = report.data.table;
  const root = element("div", { class: "comparison" });
  if (!data) return root;
  const body = element("tbody");
  const headings = data.columns.map((column, i) => heading(column, () => sort(i)));
  let sorted = -1;
  let descending = false;
  const fill = (rows: Cell[][]) => body.replaceChildren(...rows.map((row) => rowOf(row, report)));
  const sort = (column: number) => {
    descending = sorted === column && !descending;
    sorted = column;
    headings.forEach((cell, i) => cell.setAttribute("aria-sort", i !== column ? "none" : descending ? "descending" : "ascending"));
    const rows = [...data.rows].sort((a, b) => compare(a[column], b[column]));
    fill(descending ? rows.reverse() : rows);
  };
  fill(data.rows);
  root.append(element("div", { class: "scroll" }, element("table", { class: "results" }, element("thead", {}, element("tr", {}, ...headings)), body)));
  if (data.left_out?.length) root.append(leftOut(data.left_out));
  return root;
}

function heading(column: TableData["columns"][number], press: () => void): HTMLElement {
  const unit = column.unit ? element("small", {}, ` ${column.unit.replace(/^us$/, "µs")}`) : undefined;
  const button = element("button", { type: "button", click: press, title: "Sort" }, column.name, unit);
  return element("th", { scope: "col", "aria-sort": "none" }, button);
}

function rowOf(row: Cell[], report: Report): HTMLElement {
  const run = report.runs.find((other) => other.name === row[0]);
  return element(
    "tr",
    {},
    ...row.map((cell, i) => {
      const text = typeof cell === "number" ? readable(cell) : cell === null ? "–" : String(cell);
      if (i > 0) return element("td", { class: typeof cell === "number" ? "number" : "" }, text);
      const swatch = element("i", { class: "swatch" });
      if (run) swatch.style.setProperty("--color", lineColor(run.index));
      return element("th", { scope: "row" }, swatch, text);
    }),
  );
}

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1; // what is missing comes last
  if (typeof b === "number") return 1;
  return String(a).localeCompare(String(b));
}

function leftOut(list: NonNullable<TableData["left_out"]>): HTMLElement {
  const items = list.flatMap(({ method, reason }) => [element("dt", {}, method), element("dd", {}, reason)]);
  return element("section", { class: "left-out" }, element("h3", {}, "Left out"), element("dl", {}, ...items));
}
