// The time axis, the map of virtual machines and volumes, and histories.

import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./browser.mjs";

const rows = (page) => page.locator("table.map .row:not([hidden])").allTextContents();

test("the map shows rows by words and says how many", () => open("healthy", async (page) => {
  const all = await rows(page);
  assert.ok(all.length >= 4, `${all.length} rows`);
  const name = await page.locator("table.map .row th a").first().textContent();
  await page.locator("#map-search").fill(`${name.toUpperCase()} running`);
  const found = await rows(page);
  assert.ok(found.length >= 1 && found.length < all.length, `${found.length} rows`);
  assert.ok(found.every((row) => row.includes(name)));
  assert.equal(await page.locator(".rows-shown").textContent(), `${found.length} of ${all.length} rows`);
  await page.locator("#map-search").fill("");
  assert.equal((await rows(page)).length, all.length);
}));

test("problems only leaves nothing of a healthy cluster", () => open("healthy", async (page) => {
  await page.locator("#map-problems").check();
  assert.deepEqual(await rows(page), []);
  assert.match(await page.locator(".rows-shown").textContent(), /^0 of /);
}));

test("a row leads to the history of its object", () => open("healthy", async (page) => {
  const link = page.locator("table.map .row th a").first();
  const history = page.locator(await link.getAttribute("href"));
  assert.equal(await history.locator(".body").isVisible(), false);
  await link.click();
  await history.locator(".body").waitFor({ state: "visible" });
  assert.ok(await history.locator("tr").count() > 1, "the history has lines");
}));

test("the time axis grows wider and narrower, by mouse and by keyboard", () => open("failing", async (page) => {
  const width = () => page.locator(".plot > svg").evaluate((svg) => svg.getBoundingClientRect().width);
  const narrow = await width();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok(Math.abs(await width() - 2 * narrow) < 2);
  await page.getByRole("button", { name: "Zoom out" }).click();
  assert.ok(Math.abs(await width() - narrow) < 2);
  await page.locator(".plot").focus();
  await page.keyboard.press("+");
  assert.ok(Math.abs(await width() - 2 * narrow) < 2);
}));

test("the time axis shows the last day, and grows with the wheel and the control key", () => open("failing", async (page) => {
  const width = () => page.locator(".plot > svg").evaluate((svg) => svg.getBoundingClientRect().width);
  const narrow = await width();
  const hours = Number(await page.locator(".plot > svg").getAttribute("data-hours"));
  await page.getByRole("button", { name: "Last 24 hours" }).click();
  const wanted = Math.min(32, Math.max(1, hours / 24));
  assert.ok(Math.abs(await width() - wanted * narrow) < 2, `${await width()} of ${narrow}, ${hours} hours`);
  const line = await page.locator(".plot .collected line").boundingBox();
  const view = await page.locator(".plot").boundingBox();
  assert.ok(line.x > view.x && line.x <= view.x + view.width, "the collection is in view");
  const before = await width();
  await page.locator(".plot").hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await page.waitForFunction((was) => document.querySelector(".plot > svg").getBoundingClientRect().width > was + 2, before);
}));

test("labels of the time axis do not cover each other", () => open("failing", async (page) => {
  const boxes = await page.locator(".plot .tier-0 text").evaluateAll((texts) => texts.map((text) => {
    const { left, right } = text.getBoundingClientRect();
    return { left, right };
  }));
  assert.ok(boxes.length >= 2, `${boxes.length} labels`);
  boxes.slice(1).forEach((box, at) => assert.ok(boxes[at].right < box.left, `label ${at + 1}`));
}));

test("what a history tells stands in columns", () => open("failing", async (page) => {
  await page.locator("details.history").evaluateAll((histories) => histories.forEach((history) => { history.open = true; }));
  const places = await page.locator(".history .entries").evaluateAll((tables) => tables.map((table) => {
    const left = (cell) => Math.round(cell.getBoundingClientRect().left);
    return Array.from(table.rows, (row) => Array.from(row.cells, left).join(" "));
  }));
  assert.ok(places.length >= 3, `${places.length} histories`);
  for (const rows of places) assert.deepEqual([...new Set(rows)], [rows[0]]);
}));

test("without scripts map, pictures and histories are there, and no control that does nothing", () => open("healthy", async (page) => {
  assert.ok((await rows(page)).length >= 4);
  assert.ok(await page.locator(".plot svg").first().isVisible());
  assert.ok(await page.locator(".nodes .tile").count() >= 1);
  for (const control of ["#map-search", ".zoom button"]) {
    assert.equal(await page.locator(control).first().isVisible(), false, control);
  }
}, { javaScriptEnabled: false }));
