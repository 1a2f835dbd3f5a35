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
import { allJoints, allShapes, comparison, deforming, longRun, manyBodies, meagre, pagePath, shapeHues, wideComparison, writeReport } from "./sample.mjs";

const [pictures] = process.argv.slice(2);
if (pictures) mkdirSync(pictures, { recursive: true });
const browser = await openBrowser();
// Without graphics, for what is not about the animation: software drawing is most of a test's time.
const plain = await openBrowser({ graphics: false });
const folder = mkdtempSync(join(tmpdir(), "sarrus-page-"));
let failures = 0;

/** Opens the data as a report, lets the body look at it, and asks that nothing was complained about. */
async function check(name, data, body, by = browser) {
  const { page, complaints } = await openPage(by);
  try {
    const path = data === undefined ? pagePath : join(folder, "report.html");
    if (data !== undefined) writeReport(path, data);
    await page.goto(pathToFileURL(path).href);
    await page.evaluate(() => sarrusReport.ready);
    await page.evaluate(() => sarrusReport.pause?.());
    await body(page);
    assert.deepEqual(complaints.filter((complaint) => by === browser || !complaint.includes("WebGL")), []);
    console.log(`ok    ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAIL  ${name}\n      ${String(error.message).replaceAll("\n", "\n      ")}`);
  }
  if (pictures) await page.screenshot({ path: join(pictures, `${name.replaceAll(/[^a-z0-9]+/gi, "_")}.png`) });
  await page.close();
}

const checkPlots = (name, data, body) => check(name, data, body, plain);

const problem = (page) => page.getByRole("alert").innerText();
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
// Without the buttons that lie over it.
const picture = (page) => page.locator(".stage canvas").screenshot({ style: ".stage > :not(canvas) { visibility: hidden }" });

/** How many pixels of the animation have about one of the hues, for each of them. */
async function pixelsOf(page, hues) {
  return page.evaluate(async ([bytes, wanted]) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const counts = wanted.map(() => 0);
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = data.subarray(i, i + 3);
      const most = Math.max(r, g, b);
      const range = most - Math.min(r, g, b);
      if (range < 0.5 * most || most < 40) continue; // grey: background, floor, ground
      const hue = 60 * (most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range);
      const at = wanted.findIndex((other) => Math.abs(((hue - other + 540) % 360) - 180) < 20);
      if (at >= 0) ++counts[at];
    }
    return counts;
  }, [[...(await picture(page))], hues]);
}

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

await check("every kind of shape is drawn", allShapes(), async (page) => {
  await page.evaluate(() => sarrusReport.seek(1.13));
  await frame(page);
  const counts = await pixelsOf(page, shapeHues);
  counts.forEach((count, i) => assert.ok(count > 30, `body ${i} covers ${count} pixels; all bodies: ${counts}`));
});

await check("deforming shapes change their form, and no others", allShapes({ turning: false }), async (page) => {
  const at = async (time) => {
    await page.evaluate((when) => sarrusReport.seek(when), time);
    await frame(page);
    return pixelsOf(page, shapeHues);
  };
  const [before, after] = [await at(0), await at(0.4)];
  before.forEach((count, i) => {
    const change = Math.abs(after[i] - count);
    if (deforming.includes(i)) assert.ok(change > 0.04 * count, `body ${i} has ${count} pixels, then ${after[i]}`);
    else assert.ok(change <= 0.01 * count, `body ${i} has ${count} pixels, then ${after[i]}`);
  });
});

await check("many bodies have hues along their order, not the program's stripes", manyBodies(), async (page) => {
  const [blue, magenta] = await pixelsOf(page, [228, 300]);
  assert.ok(blue > 100, `the first bodies are blue: ${blue} pixels`);
  assert.ok(magenta > 100, `the colour that the model names stays: ${magenta} pixels`);
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
  assert.match(await page.locator(".head").innerText(), /every 3rd sample, and the last/);
  const notes = await page.locator(".head .status").evaluateAll((chips) => chips.map((chip) => [chip.textContent, chip.title]));
  assert.match(notes[1][1], /every 3rd sample/);
  assert.equal(notes[2][0], "without series of bodies and reactions");
  assert.match(notes[2][1], /mechanism is large/);
  const choices = await page.getByLabel("Run that is animated").locator("option").allInnerTexts();
  assert.deepEqual(choices, ["order-n", "augmented-dca"], "a run without poses cannot be animated");
  await page.getByRole("button", { name: "ghosts" }).click();
  await page.getByLabel("Run that is animated").selectOption("augmented-dca");
  await page.getByRole("button", { name: "reference", exact: true }).click();
  assert.equal(await page.evaluate(() => sarrusReport.plotted().some((curve) => curve.run === "reference")), false);
  assert.equal(await page.locator(".mark").getAttribute("tabindex"), "-1", "marks are no stops of the tab key");
  await page.locator(".mark").click();
  assert.equal(await page.evaluate(() => sarrusReport.time()), 0.71);
  await page.getByRole("tab", { name: "Comparison" }).click();
  assert.match(await page.locator(".left-out").innerText(), /recursive\s+it moves open mechanisms only/);
  await page.getByRole("button", { name: "time per evaluation" }).click();
  await page.getByRole("button", { name: "time per evaluation" }).click();
  const methods = await page.locator(".results thead th").allInnerTexts();
  assert.deepEqual(methods.map((name) => name.trim()), ["method", "reference", "augmented-dca", "order-n"], "sorted, the largest first");
  assert.match(await page.locator(".results tbody tr").first().innerText(), /^status\s+diverged\s+done\s+done/);
});

await checkPlots("what went wrong is told in full, for every run that failed", comparison(), async (page) => {
  const banner = page.locator(".failures");
  assert.equal(await banner.innerText(), "reference: diverged – the step became too small");
  const { y } = await banner.boundingBox();
  const head = await page.locator(".head").boundingBox();
  assert.ok(Math.abs(y - head.y - head.height) < 2, "directly below the head");
});

await checkPlots("a table of many quantities fits beside the animation", wideComparison(), async (page) => {
  await page.setViewportSize({ width: 1240, height: 800 });
  await page.getByRole("tab", { name: "Comparison" }).click();
  const { clientWidth, scrollWidth } = await page.locator(".comparison .scroll").evaluate((box) => ({ clientWidth: box.clientWidth, scrollWidth: box.scrollWidth }));
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} px in ${clientWidth} px`);
  assert.match(await page.locator(".results tbody tr").first().innerText(), /^outcome\s+done/);
});

await checkPlots("exported comparisons keep each run's own times", comparison(), async (page) => {
  const csv = await page.evaluate(() => sarrusReport.csv(0));
  const [header, first] = csv.split("\n");
  assert.deepEqual(header.split(","), ["time", "order-n: energy drift [J]", "augmented-dca: energy drift [J]", "reference: energy drift [J]"]);
  assert.equal(first, "0,0,0,0");
  assert.match(csv, /\n0\.07,,,/);
});

await checkPlots("without anything left out there is no note of it", { ...allJoints(), thinned: 1 }, async (page) => {
  assert.equal(await page.locator(".head .status").count(), 1);
});

await checkPlots("plots over time lie below each other, whatever their units", allJoints(), async (page) => {
  await page.evaluate(() => sarrusReport.plot([["energy", "", "total"], ["bodies", "fixed body", "px"]]));
  await frame(page);
  const sides = await page.locator(".panel:not(.tall) .u-over").evaluateAll((plots) => plots.map((plot) => [plot.offsetLeft, plot.offsetWidth]));
  assert.ok(sides.length >= 3);
  for (const side of sides) assert.deepEqual(side, sides[0]);
});

await checkPlots("long runs are drawn by fewer points, and keep all their numbers", longRun(), async (page) => {
  const lengths = await page.evaluate(() => sarrusReport.plotted().map((curve) => curve.y.length));
  assert.ok(lengths.every((length) => length === 120_000), String(lengths));
  assert.equal((await page.evaluate(() => sarrusReport.csv(0))).trimEnd().split("\n").length, 120_001);
  const took = await page.evaluate(async () => {
    const start = performance.now();
    document.querySelector("#tab-summary").click();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - start;
  });
  assert.ok(took < 1500, `the summary took ${took} ms`);
});

await checkPlots("closed plots are gone, and others can be added", allJoints(), async (page) => {
  const close = page.getByRole("button", { name: "Close this plot" });
  while ((await close.count()) > 0) await close.first().click();
  await page.setViewportSize({ width: 800, height: 500 });
  await page.evaluate(() => sarrusReport.seek(0.3));
  assert.equal(await page.evaluate(() => sarrusReport.plotted().length), 0);
  await page.evaluate(() => sarrusReport.plot([["energy", "", "drift"]]));
  assert.equal(await page.evaluate(() => sarrusReport.plotted()[0].y.length), 40);
});

await check("names are written where things are, when they are asked for", allJoints(), async (page) => {
  assert.equal(await page.locator(".names").count(), 0);
  await page.getByRole("button", { name: "names" }).click();
  await frame(page);
  const names = await page.locator(".names .body").allInnerTexts();
  assert.equal(names[0], "revolute body");
  const box = await page.locator(".names .joint b").first().boundingBox();
  const stage = await page.locator(".stage").boundingBox();
  assert.ok(box.x > stage.x && box.x < stage.x + stage.width && box.y > stage.y, "inside the animation");
  assert.equal(await page.locator(".compass .gravity text").textContent(), "g");
});

await check("nothing is cut off where the page is narrow", comparison(), async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const tab of ["Plots", "Comparison", "Summary"]) {
    await page.getByRole("tab", { name: tab }).click();
    await frame(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${tab}: ${width} px`);
  }
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

await checkPlots("paths and phases are plotted against any series", allJoints(), async (page) => {
  await page.evaluate(() => sarrusReport.plot([["bodies", "revolute body", "pz"]], ["bodies", "revolute body", "px"]));
  const last = await page.evaluate(() => {
    const curve = sarrusReport.plotted().at(-1);
    return { name: curve.name, x: [...curve.x], y: [...curve.y] };
  });
  assert.equal(last.name, "pz");
  last.x.forEach((x, i) => assert.ok(Math.abs(Math.hypot(x, last.y[i]) - 0.6) < 1e-6, "the body moves on a circle"));
});

await browser.close();
await plain.close();
rmSync(folder, { recursive: true });
console.log(failures === 0 ? "all is well" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
