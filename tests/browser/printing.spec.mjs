// On paper causes are not folded, hidden or cut off: the text of every finding is in the PDF. The time axis, the map, histories and lists of
// rules are for the screen.

import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { bare, linesOf, open } from "./browser.mjs";

for (const [name, javaScriptEnabled] of [["failing", true], ["failing", false], ["hostile", true]]) {
  test(`${name}, ${javaScriptEnabled ? "with" : "without"} scripts: the PDF has all texts`, () => open(name, async (page) => {
    const texts = await page.locator("#causes, #unhealthy, #unexplained").locator("h2, h3, h4, p, summary, pre, dt, dd, li").evaluateAll(linesOf, 60);
    const pdf = await page.pdf({ format: "A4" });
    const printed = bare(execFileSync("pdftotext", ["-raw", "-", "-"], { input: pdf, maxBuffer: 1 << 28 }).toString());
    const lost = texts.filter((text) => !printed.includes(bare(text)));
    assert.ok(texts.length > 50, `only ${texts.length} texts`);
    assert.deepEqual(lost, []);
  }, { javaScriptEnabled }));
}
