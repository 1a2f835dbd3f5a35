import type { TableData } from "../data/format.ts";
import type { Report } from "../data/report.ts";
import { element } from "../page/dom.ts";
import { readable } from "../page/numbers.ts";
import { lineColor } from "../stage/colors.ts";

type Cell = TableData["rows"][number][number];
type Column = TableData["columns"][number];

/** One quantity: what the program calls a column. */
interface Quantity {
  column: Column;
  at: number;
}

/** Where the program's word alone would not say what it is. */
const names: Record<string, string> = {
  position: "largest position norm",
  velocity: "largest velocity norm",
  acceleration: "largest acceleration norm",
};

/**
 * The methods side by side, one row a quantity, so that however many quantities there are, none is out of sight.
 * A press on a quantity puts the methods into its order. Below them those that did not take part, and why.
 */
export function comparisonPanel(report: Report): HTMLElement {
  const data = withOutcomes(report);
  const root = element("div", { class: "comparison" });
  if (!data) return root;
  const quantities = data.columns.map((column, at) => ({ column, at })).slice(1);
  quantities.sort((a, b) => Number(isOutcome(b.column)) - Number(isOutcome(a.column)));
  const table = element("table", { class: "results" });
  let sorted = -1;
  let descending = false;
  const fill = (methods: Cell[][]) => {
    const order = (at: number) => (at !== sorted ? "none" : descending ? "descending" : "ascending");
    const head = element("tr", {}, element("th", { scope: "col" }, data.columns[0]?.name ?? ""), ...methods.map((row) => methodHead(row[0], report)));
    const rows = quantities.map((quantity) => quantityRow(quantity, methods, order(quantity.at), () => sort(quantity.at)));
    table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  };
  const sort = (column: number) => {
    descending = sorted === column && !descending;
    sorted = column;
    const methods = [...data.rows].sort((a, b) => compare(a[column], b[column]));
    fill(descending ? methods.reverse() : methods);
    table.querySelector<HTMLElement>("[aria-sort='ascending'] button, [aria-sort='descending'] button")?.focus();
  };
  fill(data.rows);
  root.append(element("div", { class: "scroll" }, table));
  if (data.left_out?.length) root.append(leftOut(data.left_out));
  return root;
}

function isOutcome({ name }: Column): boolean {
  return name === "outcome" || name === "status";
}

/** The table with how each run ended, should the program not have said so there. */
function withOutcomes(report: Report): TableData | undefined {
  const { table } = report.data;
  if (!table || table.columns.some(isOutcome)) return table;
  const outcome = (row: Cell[]) => {
    const summary = report.runs.find((run) => run.name === row[0])?.data.summary;
    const words = [summary?.status, summary?.reason].filter(Boolean);
    return words.length ? words.join(": ") : null;
  };
  return { ...table, columns: [...table.columns, { name: "outcome" }], rows: table.rows.map((row) => [...row, outcome(row)]) };
}

function methodHead(name: Cell, report: Report): HTMLElement {
  const swatch = element("i", { class: "swatch" });
  const run = report.runs.find((other) => other.name === name);
  if (run) swatch.style.setProperty("--color", lineColor(run.index));
  return element("th", { scope: "col" }, swatch, cellText(name));
}

function quantityRow({ column, at }: Quantity, methods: Cell[][], order: string, press: () => void): HTMLElement {
  const unit = column.unit ? element("small", {}, ` ${column.unit.replace(/^us$/, "µs").replaceAll("^2", "²")}`) : undefined;
  const button = element("button", { type: "button", click: press, title: "Sort the methods by this" }, names[column.name] ?? column.name, unit);
  const cells = methods.map((row) => element("td", { class: cellClass(column, row[at]) }, cellText(row[at])));
  return element("tr", {}, element("th", { scope: "row", "aria-sort": order }, button), ...cells);
}

function cellClass(column: Column, cell: Cell): string {
  if (isOutcome(column)) return cell === "done" || cell === null ? "outcome" : "outcome bad";
  return typeof cell === "number" ? "number" : "";
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "–";
  return typeof cell === "number" ? readable(cell) : String(cell);
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
