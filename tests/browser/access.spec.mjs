// Who cannot see well or uses no mouse: axe-core finds nothing serious, and the keyboard reaches everything.

import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { open } from "./browser.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

for (const name of ["failing", "healthy", "hostile", "empty"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${name}, ${colorScheme}: no serious violation`, () => open(name, async (page) => {
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`);
      assert.deepEqual(told, []);
    }, { colorScheme }));
  }
}

test("dark is dark", () => open("failing", async (page) => {
  const lightness = () => page.evaluate(() => {
    const [, ...parts] = getComputedStyle(document.body).backgroundColor.match(/(\d+), (\d+), (\d+)/).map(Number);
    return Math.max(...parts);
  });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok(await lightness() < 60);
  await page.emulateMedia({ colorScheme: "light" });
  assert.ok(await lightness() > 200);
}));

test("the skip link is the first stop and leads to the causes", () => open("failing", async (page) => {
  await page.keyboard.press("Tab");
  assert.equal(await focused(page, "className"), "skip");
  assert.ok(await page.locator(".skip").isVisible());
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#causes");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.getElementById("causes").contains(document.activeElement)));
}));

test("every stop of the tab key can be seen, in the order of the page", () => open("failing", async (page) => {
  const stops = await page.evaluate(() => {
    const all = "a[href], button, input, select, textarea, summary, [tabindex]";
    return Array.from(document.querySelectorAll(all)).filter((element) => element.checkVisibility({ contentVisibilityAuto: false })).length;
  });
  const seen = [];
  for (let stop = 0; stop < stops; stop++) {
    await page.keyboard.press("Tab");
    seen.push(await page.evaluate(() => {
      const at = document.activeElement;
      const all = Array.from(document.querySelectorAll("*"));
      return { place: all.indexOf(at), name: at.outerHTML.slice(0, 80), outlined: getComputedStyle(at).outlineStyle !== "none" };
    }));
  }
  assert.deepEqual(seen.map(({ place }) => place), seen.map(({ place }) => place).toSorted((a, b) => a - b));
  assert.deepEqual(seen.filter(({ outlined }) => !outlined), []);
  assert.equal(new Set(seen.map(({ place }) => place)).size, seen.length, "no stop holds the focus");
}));

test("slash leads to the search, and escape clears it", () => open("failing", async (page) => {
  await page.keyboard.press("/");
  assert.equal(await focused(page, "id"), "search");
  await page.keyboard.type("a/b");
  assert.equal(await page.locator("#search").inputValue(), "a/b", "a slash can be searched for");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#search").inputValue(), "");
}));

test("enter and space open what is folded", () => open("failing", async (page) => {
  const symptoms = page.locator(".symptoms").first();
  await symptoms.locator("> summary").focus();
  await page.keyboard.press("Enter");
  assert.equal(await symptoms.evaluate((details) => details.open), true);
  await page.keyboard.press("Space");
  assert.equal(await symptoms.evaluate((details) => details.open), false);
}));

function focused(page, property) {
  return page.evaluate((name) => document.activeElement[name], property);
}
