#!/usr/bin/env node
// Tests the page with made-up data, so without the program: node page_test.mjs [SCREENSHOT_DIR]
//
// Status 77: skipped, there is no browser.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, openPage } from "./browser.mjs";
import { allJoints, allShapes, comparison, meagre, pagePath, writeReport } from "./sample.mjs";

const [pictures] = process.argv.slice(2);
if (pictures) mkdirSync(pictures, { recursive: true });
const browser = await openBrowser();
const folder = mkdtempSync(join(tmpdir(), "sarrus-page-"));
let failures = 0;

/** Opens the data as a report, lets the body look at it, and asks that nothing was complained about. */
async function check(name, data, body) {
  const { page, complaints } = await openPage(browser);
  try {
    const path = data === undefined ? pagePath : join(folder, "report.html");
    if (data !== undefined) writeReport(path, data);
    await page.goto(pathToFileURL(path).href);
    await page.evaluate(() => sarrusReport.ready);
    await page.evaluate(() => sarrusReport.pause?.());
    await body(page);
    assert.deepEqual(complaints, []);
    console.log(`ok    ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAIL  ${name}\n      ${String(error.message).replaceAll("\n", "\n      ")}`);
  }
  if (pictures) await page.screenshot({ path: join(pictures, `${name.replaceAll(/[^a-z0-9]+/gi, "_")}.png`) });
  await page.close();
}

const problem = (page) => page.getByRole("alert").innerText();
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const picture = (page) => page.locator(".stage canvas").screenshot();

await check("the empty page says that it is empty", undefined, async (page) => {
  assert.match(await problem(page), /no data in this page/);
});

await check("data cut off are told", '{"format":1,"runs":[', async (page) => {
  assert.match(await problem(page), /damaged or cut off/);
});

await check("a newer format is told", { ...meagre(), format: 2 }, async (page) => {
  assert.match(await problem(page), /format 2, newer than format 1/);
});

await check("every type of joint is drawn", allJoints(), async (page) => {
  await page.evaluate(() => sarrusReport.seek(0));
  await frame(page);
  const first = await picture(page);
  await page.evaluate(() => sarrusReport.seek(0.8));
  await frame(page);
  assert.notDeepEqual(await picture(page), first);
});

await check("every kind of shape is drawn, deforming ones too", allShapes(), async (page) => {
  await page.evaluate(() => sarrusReport.seek(1.13));
  await frame(page);
  assert.ok((await page.evaluate(() => sarrusReport.frames())) > 0);
});

await check("one sample, holes and odd names do no harm", meagre(), async (page) => {
  assert.equal(await page.evaluate(() => (sarrusReport.play(), sarrusReport.playing())), false);
  assert.equal(await page.evaluate(() => sarrusReport.time()), 0);
  assert.ok((await page.locator(".panel").count()) >= 2);
});

await check("no bodies and no series leave a page that works", { ...meagre(), scene: { bodies: [] }, runs: [{ name: "", times: { f64: "" } }] }, async (page) => {
  assert.match(await page.locator(".stage .notice").innerText(), /Nothing to animate/);
});

await check("a comparison overlays its runs and shows its table", comparison(), async (page) => {
  const runs = await page.evaluate(() => sarrusReport.plotted().filter((curve) => curve.name === "drift").map((curve) => [curve.run, curve.y.length]));
  assert.deepEqual(runs, [["order-n", 60], ["augmented-dca", 35], ["reference", 25]]);
  assert.match(await page.locator(".head").innerText(), /reference: diverged/);
  assert.match(await page.locator(".head").innerText(), /1 of 3 samples/);
  const choices = await page.getByLabel("Run that is animated").locator("option").allInnerTexts();
  assert.deepEqual(choices, ["order-n", "augmented-dca"], "a run without poses cannot be animated");
  await page.getByRole("button", { name: "ghosts" }).click();
  await page.getByLabel("Run that is animated").selectOption("augmented-dca");
  await page.getByRole("button", { name: "reference", exact: true }).click();
  assert.equal(await page.evaluate(() => sarrusReport.plotted().some((curve) => curve.run === "reference")), false);
  await page.locator(".mark").click();
  assert.equal(await page.evaluate(() => sarrusReport.time()), 0.71);
  await page.getByRole("tab", { name: "Comparison" }).click();
  assert.match(await page.locator(".left-out").innerText(), /recursive\s+it moves open mechanisms only/);
  await page.getByRole("button", { name: "time per evaluation" }).click();
  await page.getByRole("button", { name: "time per evaluation" }).click();
  assert.match(await page.locator(".results tbody tr").nth(1).innerText(), /augmented-dca/);
});

await check("exported comparisons keep each run's own times", comparison(), async (page) => {
  const csv = await page.evaluate(() => sarrusReport.csv(0));
  const [header, first] = csv.split("\n");
  assert.deepEqual(header.split(","), ["time", "order-n: energy drift [J]", "augmented-dca: energy drift [J]", "reference: energy drift [J]"]);
  assert.equal(first, "0,0,0,0");
  assert.match(csv, /\n0\.07,,,/);
});

await check("a body is followed, traced and let go", allJoints(), async (page) => {
  await page.getByLabel("Body to follow or trace").fill("revolute body");
  const follow = page.getByRole("button", { name: "follow" });
  await follow.click();
  await page.getByRole("button", { name: "path", exact: true }).click();
  await page.evaluate(() => sarrusReport.seek(0.5));
  await frame(page);
  assert.equal(await follow.getAttribute("aria-pressed"), "true");
  await follow.click();
  assert.equal(await follow.getAttribute("aria-pressed"), "false");
  for (const view of ["front", "side", "top", "iso"]) await page.getByRole("button", { name: view, exact: true }).click();
});

await check("paths and phases are plotted against any series", allJoints(), async (page) => {
  await page.evaluate(() => sarrusReport.plot([["bodies", "revolute body", "pz"]], ["bodies", "revolute body", "px"]));
  const last = await page.evaluate(() => {
    const curve = sarrusReport.plotted().at(-1);
    return { name: curve.name, x: [...curve.x], y: [...curve.y] };
  });
  assert.equal(last.name, "pz");
  last.x.forEach((x, i) => assert.ok(Math.abs(Math.hypot(x, last.y[i]) - 0.6) < 1e-6, "the body moves on a circle"));
});

await browser.close();
rmSync(folder, { recursive: true });
console.log(failures === 0 ? "all is well" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
