// Pages about an archive: as closed, readable and accessible as the report, without any script.

import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bare, linesOf, open } from "./browser.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const NARROW = { viewport: { width: 360, height: 740 } };

/// The overview, the page of a rule that fired, of a cluster, and of each bundle.
const PAGES = ["archive/index", "archive/rules/pod-failed", ...below("clusters").slice(0, 1), ...below("bundles")];

function below(folder) {
  const names = readdirSync(path.join(process.env.GLEANER_REPORTS, "archive", folder)).sort();
  return names.map((name) => `archive/${folder}/${path.basename(name, ".html")}`);
}

test("there is a page of each sort", () => {
  for (const folder of ["clusters", "bundles"]) assert.ok(PAGES.some((name) => name.includes(folder)), folder);
});

for (const name of PAGES) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${name}, ${colorScheme}: nothing is loaded or refused, no serious violation`, () => open(name, async (page) => {
      assert.equal(await page.evaluate(() => performance.getEntriesByType("resource").length), 0);
      assert.equal(await page.locator("script").count(), 0);
      await openAll(page);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`);
      assert.deepEqual(told, []);
      const lightness = await page.evaluate(() => Math.max(...getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)));
      assert.ok(colorScheme === "dark" ? lightness < 60 : lightness > 200, `${lightness}`);
    }, { colorScheme }));
  }

  test(`${name}: a narrow window does not scroll sideways`, () => open(name, async (page) => {
    await openAll(page);
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `${content} px in a window of ${window}`);
  }, NARROW));

  test(`${name}: without scripts everything can be read, on paper, too`, () => open(name, async (page) => {
    assert.equal(await page.locator("button:visible").count(), 0, "buttons that would do nothing");
    const texts = await page.locator("main").locator("h2, h3, h4, p, summary, pre, dt, dd, li, th, td, a, span").evaluateAll(linesOf, 40);
    const printed = folded(execFileSync("pdftotext", ["-raw", "-", "-"], { input: await page.pdf({ format: "A4" }), maxBuffer: 1 << 28 }).toString());
    assert.ok(texts.length > 10, `only ${texts.length} texts`);
    assert.deepEqual(texts.filter((text) => !printed.includes(folded(text))), []);
  }, { javaScriptEnabled: false }));
}

test("archive/index: the questions fit some screens, and lead to lists that are folded until then", () => open("archive/index", async (page) => {
  assert.equal(await page.locator(".question").count(), 6);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(height < 3000, `${height} px`);
  const silent = page.locator("#silent");
  assert.ok(!(await silent.isVisible()), "folded");
  await page.locator('.question a[href="#silent"]').click();
  assert.ok(await silent.isVisible(), "the target of a link is unfolded");
}));

test("archive/index: rules are filtered by severity without a script", () => open("archive/index", async (page) => {
  await openAll(page);
  const shown = () => page.locator("#rules tbody tr:visible").count();
  const all = await shown();
  await page.locator('#rules input[value="critical"]').check();
  const critical = await shown();
  assert.ok(critical < all, `${critical} of ${all}`);
  assert.equal(await page.locator("#rules tbody tr:visible .sev:not(.critical)").count(), 0);
  await page.locator('#rules input[value="all"]').check();
  assert.equal(await shown(), all);
}, { javaScriptEnabled: false }));

test("names of bundles run nothing", () => open("archive/index", async (page) => {
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.ok((await page.locator("body").textContent()).includes("pod-failed"));
}));

function openAll(page) {
  return page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
}

/// Style makes capitals.
function folded(text) {
  return bare(text).toLowerCase();
}
