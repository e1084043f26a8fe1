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

test("a period of the time axis filters findings, errors, events and histories", () => open("failing", async (page) => {
  const state = () => page.evaluate(() => {
    const all = Array.from(document.querySelectorAll("[data-at]"), (element) => ({
      at: element.dataset.at.split(" ").map(Number),
      hidden: element.closest("[hidden]") !== null,
      kind: element.matches(".card, .finding") ? "finding" : element.closest("section").id,
    }));
    const { begins, ends } = document.querySelector(".plot > svg").dataset;
    return { all, begins: Number(begins), ends: Number(ends) };
  });
  const before = await state();
  assert.ok(before.all.every((one) => !one.hidden), "everything is shown at first");
  const plot = await page.locator(".plot > svg").boundingBox();
  const drag = async (from, to) => {
    await page.mouse.move(plot.x + from * plot.width, plot.y + 60);
    await page.mouse.down();
    await page.mouse.move(plot.x + to * plot.width, plot.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(100);
  };
  await drag(0.9, 1);
  assert.match(await page.locator(".period").textContent(), /Only from 20/);
  const chosen = await state();
  const from = chosen.begins + 0.9 * (chosen.ends - chosen.begins);
  const outside = chosen.all.filter((one) => one.at.length > 1 && one.at[1] < from - 60);
  assert.ok(outside.length > 0 && outside.filter((one) => one.kind !== "finding").every((one) => one.hidden), "what ended before is hidden");
  const inside = chosen.all.filter((one) => one.at[0] > from + 60);
  assert.ok(inside.every((one) => one.kind === "finding" || !one.hidden), "what is of the period is shown");
  assert.ok(await page.locator(".matches").textContent() !== "", "findings are counted");
  await page.locator(".period button").click();
  await page.waitForTimeout(100);
  assert.ok((await state()).all.every((one) => !one.hidden), "everything is shown again");
  await page.getByRole("button", { name: "Around the first cause" }).click();
  const mark = await page.locator(".plot .cause rect, .plot .cause line:not(.ground)").first().boundingBox();
  const view = await page.locator(".plot").boundingBox();
  assert.ok(mark.x + mark.width >= view.x && mark.x <= view.x + view.width, "the first cause is in view");
  await page.getByRole("button", { name: "Only what is shown" }).click();
  assert.equal(await page.locator(".period").isVisible(), true);
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
