// On paper nothing is folded, hidden or cut off: the text of every finding is in the PDF.

import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { open } from "./browser.mjs";

for (const [name, javaScriptEnabled] of [["failing", true], ["failing", false], ["hostile", true]]) {
  test(`${name}, ${javaScriptEnabled ? "with" : "without"} scripts: the PDF has all texts`, () => open(name, async (page) => {
    const texts = await page.locator("main").locator("h2, h3, h4, p, summary, pre, dt, dd, li").evaluateAll(linesOf);
    const pdf = await page.pdf({ format: "A4" });
    const printed = bare(execFileSync("pdftotext", ["-raw", "-", "-"], { input: pdf, maxBuffer: 1 << 28 }).toString());
    const lost = texts.filter((text) => !printed.includes(bare(text)));
    assert.ok(texts.length > 50, `only ${texts.length} texts`);
    assert.deepEqual(lost, []);
  }, { javaScriptEnabled }));
}

/// The texts of elements, each by its own nodes: what lies between them may be set elsewhere on the page.
function linesOf(elements) {
  const texts = [];
  for (const element of elements) {
    if (element.closest("[hidden], button")) continue;
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) texts.push(...node.textContent.split("\n"));
    }
  }
  // A page break may cut through a text of many lines.
  return texts.filter((text) => text.trim()).map((text) => text.slice(0, 60));
}

/// Letters and digits only: lines break where there is room.
function bare(text) {
  return text.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "");
}
