// Opens reports in Chromium and keeps account of everything that a report must not do.

import * as suite from "node:test";
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const REPORTS = process.env.GLEANER_REPORTS;
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

let browser;
suite.before(async () => {
  assert.ok(REPORTS, "GLEANER_REPORTS names the folder with the reports");
  browser = await chromium.launch({ executablePath: process.env.GLEANER_CHROMIUM, args: ARGUMENTS, headless: true });
});
suite.after(() => browser?.close());

/// The address of a report.
export function address(name) {
  return pathToFileURL(path.join(REPORTS, `${name}.html`)).href;
}

/// Opens a report, `before` which its page may be prepared, hands the page to `look`, and fails on whatever left the page or went wrong in it.
export async function open(name, look, { hash = "", before = async () => {}, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const faults = [];
  context.on("request", (request) => {
    const url = request.url().split("#")[0];
    if (url !== address(name) && !url.startsWith("data:")) faults.push(`request to ${url}`);
  });
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => faults.push(`uncaught: ${error.error()}`));
  if (options.javaScriptEnabled !== false) await context.addInitScript(listen);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  try {
    const page = await context.newPage();
    await before(page);
    await page.goto(address(name) + hash);
    await look(page);
    if (options.javaScriptEnabled !== false) faults.push(...(await page.evaluate(() => window.violations)));
    assert.deepEqual(faults, [], `${name}: a report stays within its page`);
  } finally {
    await context.close();
  }
}

function listen() {
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    window.violations.push(`policy: ${event.violatedDirective} ${event.blockedURI}`);
  });
}

/// Titles of the findings that are not filtered out.
export function shown(page) {
  return page.evaluate(() => {
    const titles = Array.from(document.querySelectorAll(".card h3, .finding > summary .title"));
    return titles.filter((title) => !title.closest("[hidden]")).map((title) => title.textContent);
  });
}

/// The texts of elements, each by its own nodes: what lies between them may be set elsewhere on the page. Of each the first
/// `length` letters, because a page break may cut through a long one. Runs in the page.
export function linesOf(elements, length) {
  const texts = [];
  for (const element of elements) {
    if (element.closest("[hidden], button")) continue;
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) texts.push(...node.textContent.split("\n"));
    }
  }
  return texts.filter((text) => text.trim()).map((text) => text.slice(0, length));
}

/// Letters and digits only: lines break where there is room.
export function bare(text) {
  return text.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "");
}
