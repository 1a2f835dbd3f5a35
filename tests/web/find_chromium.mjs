// Where Chromium is: node find_chromium.mjs prints its path; status 1: there is none.
import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The one that SARRUS_CHROMIUM names, or where systems put it. */
export function findChromium() {
  const wanted = process.env.SARRUS_CHROMIUM;
  return [wanted, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const path = findChromium();
  if (path) console.log(path);
  process.exitCode = path ? 0 : 1;
}
