#!/usr/bin/env node
// Opens a report in a browser and uses it: node report_test.mjs REPORT.html CSV_DIR [SCREENSHOT_DIR]
//
// REPORT.html is the report of a run, CSV_DIR holds the files of the same run. Status 77: skipped, there is no browser.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, openPage } from "./browser.mjs";
import { parseTable, readSeries } from "./csv_folder.mjs";

const [report, folder, pictures] = process.argv.slice(2);
if (!report || !folder) {
  console.error("usage: node report_test.mjs REPORT.html CSV_DIR [SCREENSHOT_DIR]");
  process.exit(2);
}
const address = pathToFileURL(resolve(report)).href;
const summary = JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
const bodies = summary.bodies;
// Small models must open at once and stay small; the figures are promises for a mechanism like five-bar.
const small = bodies <= 20;
if (pictures) mkdirSync(pictures, { recursive: true });
const browser = await openBrowser();
let failures = 0;

async function check(name, body) {
  try {
    await body();
    console.log(`ok    ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAIL  ${name}\n      ${String(error.message).replaceAll("\n", "\n      ")}`);
  }
}

function assertSame(actual, expected, what) {
  assert.equal(actual.length, expected.length, `${what}: number of samples`);
  for (let i = 0; i < expected.length; ++i)
    assert.ok(Object.is(actual[i], expected[i]), `${what}: ${actual[i]} is not ${expected[i]} at sample ${i}`);
}

const plotted = (page) => page.evaluate(() => sarrusReport.plotted().map((curve) => ({ ...curve, x: [...curve.x], y: [...curve.y] })));
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** How many colours there are in the middle of the animation. */
async function coloursDrawn(page) {
  const picture = await page.locator(".stage canvas").screenshot();
  return page.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
    return colours.size;
  }, [...picture]);
}

// The first page starts the browser's graphics, which is not the report's time.
const warm = await openPage(browser);
await warm.page.goto(address);
await warm.page.evaluate(() => sarrusReport.ready);
await warm.page.close();

// Two seconds are promised; on a machine that is busy with other tests, of an unknown kind, more is no
// defect. The best of three counts. `./test --long -L web` holds the page to its promise.
const longest = process.env.SARRUS_LONG ? 2000 : 10_000;
const { page, complaints } = await openPage(browser);
let readyAfter = Infinity;
for (let i = 0; i < 3 && !(readyAfter < longest); ++i) {
  await page.goto(address);
  readyAfter = Math.min(readyAfter, await page.evaluate(() => sarrusReport.ready));
  if (!small) break;
}
console.log(`      ${report}: ${(statSync(report).size / 1e6).toFixed(2)} MB, ready after ${Math.round(readyAfter)} ms`);

await check("opens without a problem", async () => {
  assert.equal(await page.evaluate(() => sarrusReport.problem), undefined);
  assert.equal(await page.locator(".panel").count().then((count) => count >= 3), true, "energy, constraints and joints are plotted");
  if (small) assert.ok(readyAfter < longest, `ready after ${readyAfter} ms`);
  if (small) assert.ok(statSync(report).size < 3e6, "the file is larger than 3 MB");
});

await check("plays and pauses", async () => {
  await page.evaluate(() => (sarrusReport.seek(0), sarrusReport.play()));
  const before = await page.evaluate(() => [sarrusReport.time(), sarrusReport.frames()]);
  await page.waitForFunction(([time, frames]) => sarrusReport.time() > time && sarrusReport.frames() > frames + 1, before, { timeout: 20_000 });
  await page.evaluate(() => sarrusReport.pause());
  const stopped = await page.evaluate(() => sarrusReport.time());
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => sarrusReport.time()), stopped);
});

await check("draws something, and something else later", async () => {
  await page.evaluate((end) => sarrusReport.seek(end), 0);
  await frame(page);
  assert.ok((await coloursDrawn(page)) > 12, "the animation is blank");
  const first = await page.locator(".stage canvas").screenshot();
  await page.evaluate((time) => sarrusReport.seek(time), summary.time * 0.37);
  await frame(page);
  assert.notDeepEqual(await page.locator(".stage canvas").screenshot(), first);
});

await check("space plays, arrows step, the bar scrubs", async () => {
  await page.evaluate(() => (sarrusReport.pause(), sarrusReport.seek(0), document.activeElement.blur()));
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.evaluate(() => sarrusReport.time())) > 0);
  await page.keyboard.press(" ");
  assert.equal(await page.evaluate(() => sarrusReport.playing()), true);
  await page.keyboard.press(" ");
  assert.equal(await page.evaluate(() => sarrusReport.playing()), false);
  const box = await page.locator(".timeline").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const time = await page.evaluate(() => sarrusReport.time());
  assert.ok(Math.abs(time - summary.time / 2) < 0.02 * summary.time, `the middle of the bar is ${time} s`);
});

await check("a click in a plot sets the time, dragging zooms, a double click resets", async () => {
  const over = page.locator(".panel .u-over").first();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
  const time = await page.evaluate(() => sarrusReport.time());
  assert.ok(Math.abs(time - 0.25 * summary.time) < 0.02 * summary.time, `a quarter of the plot is ${time} s`);
  const ticks = () => page.locator(".panel .time-mark").first().evaluate((mark) => mark.style.transform);
  const whole = await ticks();
  await page.mouse.move(box.x + 0.1 * box.width, box.y + 0.5 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.45 * box.width, box.y + 0.5 * box.height, { steps: 4 });
  await page.mouse.up();
  await frame(page);
  assert.notEqual(await ticks(), whole, "the plot did not zoom");
  await over.dblclick({ position: { x: 0.6 * box.width, y: 0.5 * box.height } });
  await page.evaluate((back) => sarrusReport.seek(back), time);
  await frame(page);
  assert.equal(await ticks(), whole, "the double click did not reset the zoom");
});

await check("plotted numbers are those of the CSV files, to the bit", async () => {
  const curves = (await plotted(page)).filter((curve) => curve.name !== "drift");
  const overTime = curves.find((curve) => curve.group === "energy");
  assert.ok(overTime);
  const kept = new Set(overTime.x); // a large report holds every n-th sample only
  const those = ({ x, y }) => ({ x: x.filter((time) => kept.has(time)), y: y.filter((_, i) => kept.has(x[i])) });
  for (const group of new Set(curves.map((curve) => curve.group))) {
    const series = readSeries(folder, group);
    for (const curve of curves.filter((other) => other.group === group)) {
      const expected = series.get([group, curve.element, curve.name].join("\n"));
      assert.ok(expected, `${curve.element} ${curve.name} is not in ${group}.csv`);
      assertSame(curve.y, those(expected).y, `${group} ${curve.element} ${curve.name}`);
      if (group !== "bodies") assertSame(curve.x, those(expected).x, `times of ${group} ${curve.element} ${curve.name}`);
    }
  }
});

await check("the picker finds a series by typing, and builds few elements", async () => {
  await page.getByRole("button", { name: "Add a plot" }).click();
  const joint = [...readSeries(folder, "joints").keys()].map((key) => key.split("\n")).find(([, , name]) => name.endsWith("speed"));
  await page.getByRole("combobox", { name: "Find series" }).fill(`${joint[2]} ${joint[1]}`);
  assert.ok((await page.getByRole("option").count()) < 60);
  const label = `${joint[1]} ${joint[2]}`;
  await page.getByRole("option").filter({ has: page.getByText(label, { exact: true }) }).click();
  await page.keyboard.press("Escape");
  const last = (await plotted(page)).at(-1);
  assert.deepEqual([last.group, last.element, last.name], joint);
  const expected = readSeries(folder, "joints").get(joint.join("\n"));
  const kept = new Set(last.x);
  assertSame(last.y, expected.y.filter((_, i) => kept.has(expected.x[i])), label);
});

await check("the CSV export holds the same numbers", async () => {
  const curves = await plotted(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save what is plotted as CSV" }).first().click(),
  ]);
  const table = parseTable(readFileSync(await download.path(), "utf8"));
  const first = curves.filter((curve) => curve.panel === 0);
  assertSame(table.get("time"), first[0].x, "time");
  first.forEach((curve, i) => assertSame([...table.values()][i + 1], curve.y, curve.name));
});

await check("the summary is a table", async () => {
  await page.getByRole("tab", { name: "Summary" }).click();
  const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "Bodies", exact: true }) });
  assert.match(await row.innerText(), new RegExp(`\\b${bodies}\\b`));
  await page.getByRole("tab", { name: "Plots" }).click();
});

if (pictures) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate((time) => sarrusReport.seek(time), summary.time * 0.12);
    await frame(page);
    await page.screenshot({ path: join(pictures, `${colorScheme}.png`) });
  }
}

await check("no errors, no network", async () => assert.deepEqual(complaints, []));
await browser.close();

await check("without WebGL the plots still work", async () => {
  const plain = await openBrowser({ graphics: false });
  const opened = await openPage(plain);
  await opened.page.goto(address);
  await opened.page.evaluate(() => sarrusReport.ready);
  assert.match(await opened.page.locator(".stage .notice").innerText(), /cannot be shown/);
  assert.ok((await plotted(opened.page)).length > 0);
  assert.deepEqual(opened.complaints.filter((complaint) => !/WebGL/.test(complaint)), []);
  await plain.close();
});

console.log(failures === 0 ? "all is well" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
