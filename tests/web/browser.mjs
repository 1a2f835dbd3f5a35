// Opens reports in the system's Chromium, which draws without a graphics card here.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "./find_chromium.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "web");
const softwareGraphics = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const skipped = 77;

/** A browser, or the end of the program with the status by which tests are skipped. */
export async function openBrowser({ graphics = true } = {}) {
  const program = findChromium();
  let chromium;
  try {
    // SARRUS_WEB_MODULES: another folder whose node_modules hold playwright-core.
    const modules = process.env.SARRUS_WEB_MODULES ?? web;
    ({ chromium } = createRequire(join(modules, "package.json"))("playwright-core"));
  } catch {
    console.log("skipped: playwright-core is not installed; `npm ci` in web/ does so");
    process.exit(skipped);
  }
  if (!program) {
    console.log("skipped: there is no Chromium; SARRUS_CHROMIUM names one elsewhere");
    process.exit(skipped);
  }
  const args = ["--no-sandbox", "--disable-dev-shm-usage", ...(graphics ? softwareGraphics : ["--disable-gpu", "--disable-3d-apis"])];
  return chromium.launch({ executablePath: program, args });
}

/** A page that keeps account of what should not happen. */
export async function openPage(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 960, height: 600 }, ...options });
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`script: ${error.stack}`));
  page.on("request", (request) => {
    // The report itself, and what the page makes of its own bytes, is all it may ask for.
    if (!/^(data|blob):/.test(request.url()) && !request.isNavigationRequest()) complaints.push(`network: ${request.url()}`);
  });
  return { page, complaints };
}
