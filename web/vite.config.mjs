import { defineConfig } from "vite";

// The report's data take the place of this text; the program looks for it, so it must be there exactly once.
const marker = "<!--SARRUS_REPORT_DATA-->";

/** Puts script and style into the page itself: a report is one file and fetches nothing. */
function inline() {
  return {
    name: "sarrus-inline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["report.html"];
      let html = String(page.source);
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
