import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

// The report's data take the place of this text; the program looks for it, so it must be there exactly once.
const marker = "<!--SARRUS_REPORT_DATA-->";

// Packages whose code is in the page, as THIRD_PARTY.md lists them; any other one has to be thought about first.
const shipped = ["three", "uplot"];

/** Puts script and style into the page itself: a report is one file and fetches nothing. */
function inline() {
  return {
    name: "sarrus-inline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["report.html"];
      let html = putLicences(String(page.source), packagesIn(bundle));
      for (const [file, output] of Object.entries(bundle)) {
        if (file === "report.html") continue;
        if (output.type === "chunk") html = putScript(html, file, output.code);
        else if (file.endsWith(".css")) html = putStyle(html, file, String(output.source));
        else throw new Error(`${file}: nothing but script and style can be put into the page`);
        delete bundle[file];
      }
      const count = html.split(marker).length - 1;
      if (count !== 1) throw new Error(`${marker} is ${count} times in the page, and must be there once`);
      page.source = html;
    },
  };
}

/** Names of the packages of which something is in the page. */
function packagesIn(bundle) {
  const names = new Set();
  for (const output of Object.values(bundle))
    for (const file of output.moduleIds ?? []) {
      const name = /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1];
      if (name) names.add(name.replaceAll("\\", "/"));
    }
  return [...names].sort();
}

/** Their licences ask to go wherever the packages go; a report is handed on as one file, so it carries them. */
function putLicences(html, names) {
  if (names.join() !== shipped.join()) throw new Error(`the page contains ${names.join(", ")}, and should contain ${shipped.join(", ")}`);
  const texts = names.map((name) => {
    const file = join(import.meta.dirname, "node_modules", name, "LICENSE");
    if (!existsSync(file)) throw new Error(`${name} is in the page but has no file LICENSE`);
    const text = readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim();
    if (text.includes("--")) throw new Error(`the licence of ${name} cannot stand in a comment: it has two dashes in a row`);
    return `This page contains ${name}:\n\n${text}`;
  });
  // Below the character set, which browsers look for in the first kilobyte only.
  const charset = '<meta charset="utf-8">';
  if (!html.includes(charset)) throw new Error(`${charset} is not in the page`);
  return html.replace(charset, () => `${charset}\n<!--\n${texts.join("\n\n\n")}\n-->`);
}

function putScript(html, file, code) {
  // An HTML parser ends a script at "</script" and changes its mind about it at "<!--", in strings too.
  const safe = code.trim().replaceAll(/<(\/script|!--)/gi, "\\x3C$1");
  const tag = new RegExp(`\\s*<script type="module"[^>]*src="[^"]*${escapeName(file)}"[^>]*></script>`);
  if (!tag.test(html)) throw new Error(`no script tag for ${file}`);
  return html.replace(tag, "").replace("</body>", () => `<script type="module">${safe}</script>\n</body>`);
}

function putStyle(html, file, style) {
  const tag = new RegExp(`<link rel="stylesheet"[^>]*href="[^"]*${escapeName(file)}"[^>]*>`);
  if (!tag.test(html)) throw new Error(`no link tag for ${file}`);
  return html.replace(tag, () => `<style>${style.trim()}</style>`);
}

function escapeName(file) {
  return file.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export default defineConfig({
  base: "./",
  plugins: [inline()],
  build: {
    outDir: "dist",
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1e9,
    rollupOptions: { input: "report.html" },
  },
});
