// Search, filters and links to findings.

import { test } from "node:test";
import assert from "node:assert/strict";
import { open, shown } from "./browser.mjs";

test("a link to a finding opens what it is folded under", () => open("failing", async (page) => {
  const folded = page.locator(".symptoms .finding").first();
  assert.equal(await folded.locator(".message").isVisible(), false);
  const anchor = await folded.getAttribute("id");
  await page.evaluate((id) => { location.hash = id; }, anchor);
  await folded.locator(".message").waitFor({ state: "visible" });
}));

test("a link opens a folded finding in a fresh window", async () => {
  let anchor;
  await open("failing", async (page) => { anchor = await page.locator(".symptoms .finding").first().getAttribute("id"); });
  await open("failing", async (page) => {
    assert.ok(await page.locator(`#${anchor} .message`).first().isVisible());
    const box = await page.locator(`#${anchor}`).boundingBox();
    assert.ok(box.y >= 0 && box.y < 900, `at ${box.y} px of a window of 900`);
  }, { hash: `#${anchor}` });
});
