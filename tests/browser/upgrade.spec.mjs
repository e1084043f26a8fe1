// The section about upgrades of Harvester.

import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./browser.mjs";

const section = (page) => page.locator("#upgrade");

test("a cluster of which some checks have no answer is not called ready", () => open("healthy", async (page) => {
  assert.match(await section(page).locator(".may-upgrade").textContent(), /^No check fails, but \d+ have no answer in this bundle$/);
  assert.equal(await section(page).locator(".checks.failed > li").count(), 0);
  assert.ok(await section(page).locator(".checks.open > li").first().isVisible(), "open checks are unfolded");
  const table = await section(page).locator(".summary").allTextContents();
  assert.ok(table.length === 2 && table.every((sentence) => /as of \d{4}-\d\d-\d\d/.test(sentence)), table.join("\n"));
}));

test("a check that fails leads to its finding", () => open("failing", async (page) => {
  const check = section(page).locator(".checks.failed > li").filter({ hasText: "Managed charts" });
  const link = check.locator("a").first();
  const card = page.locator(await link.getAttribute("href"));
  await link.click();
  await card.locator(".body").first().waitFor({ state: "visible" });
}));

test("an upgrade in progress says where it waits, and its tile leads there", () => open("upgrading", async (page) => {
  assert.match(await section(page).locator(".may-upgrade").textContent(), /^An upgrade is in progress/);
  const node = page.locator("#upgrades li").filter({ hasText: "hv-node-2" }).first();
  assert.match(await node.textContent(), /Pre-draining since 2025-03-18 07:10:00 UTC/);
  assert.match(await node.textContent(), /Virtual machines leave the node/);
  await page.locator('a[href="#upgrades"]').first().click();
  assert.ok(await page.locator("#upgrades").isVisible());
}));
