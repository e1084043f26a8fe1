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

test("search hides what does not have all the words, and says how many do", () => open("failing", async (page) => {
  const all = await shown(page);
  await page.locator("#search").fill("OOMKilled inventory");
  await page.locator(".matches").filter({ hasText: / of \d+ causes and / }).waitFor();
  const found = await shown(page);
  assert.ok(found.length > 0 && found.length < all.length, `${found.length} of ${all.length}`);
  assert.ok(found.some((title) => title.includes("memory limit")), found.join());
  await page.locator(".clear").click();
  assert.deepEqual(await shown(page), all);
  assert.equal(await page.locator(".matches").textContent(), "");
}));

test("a symptom that matches is brought to light with its cause", () => open("failing", async (page) => {
  await page.locator("#search").fill("crash-looping");
  await page.locator(".symptoms .finding:visible .title", { hasText: "crash-looping" }).waitFor();
  assert.equal(await page.locator(".card:visible").count(), 1);
}));

/// Causes, and findings that causes explain, beside a value of a facet: `2 + 4`.
const countOf = (text) => text.split(" + ").map(Number).concat(0).slice(0, 2);

/// Waits until so many causes, and findings that causes explain, match.
function matching(page, [causes, explained]) {
  return page.waitForFunction(([causes, explained]) => {
    const found = document.querySelector(".matches").textContent.match(/^(\d+) of \d+ causes and (\d+) of/);
    return found && Number(found[1]) === causes && Number(found[2]) === explained;
  }, [causes, explained]);
}

test("values of one facet add up, facets narrow each other, and counts follow", () => open("failing", async (page) => {
  const facet = (name) => page.locator(`.facet:has(input[name=${name}])`);
  const choice = (name, value) => page.locator(`input[name=${name}][value="${value}"]`);
  const count = async (name, value) => countOf(await choice(name, value).locator("xpath=..").locator(".count").textContent());
  const storage = await count("area", "storage");
  assert.ok(storage[0] > 0);
  await facet("area").locator("summary").click();
  await choice("area", "storage").check();
  await matching(page, storage);
  assert.equal(await facet("area").locator(".chosen").textContent(), "1 selected");
  const workload = await count("area", "workload");
  await choice("area", "workload").check();
  await matching(page, [storage[0] + workload[0], storage[1] + workload[1]]);
  const symptoms = await count("role", "symptom");
  assert.equal(symptoms[0], 0);
  await facet("role").locator("summary").click();
  await choice("role", "symptom").check();
  await matching(page, symptoms);
}));

test("every facet counts and finds the same", () => open("failing", async (page) => {
  const choices = await page.locator(".facet input").evaluateAll((boxes) => boxes.map(({ name, value }) => [name, value]));
  const facets = new Set(choices.map(([name]) => name));
  for (const name of ["area", "kind", "namespace", "role"]) assert.ok(facets.has(name), `no filter by ${name}`);
  for (const [name, value] of choices) {
    const hash = `#?${new URLSearchParams([[name, value]])}`;
    await page.evaluate((text) => { location.hash = text; }, hash);
    const count = await page.waitForFunction(([name, value]) => {
      const box = document.querySelector(`input[name="${name}"][value="${value}"]`);
      return box.checked && document.querySelectorAll(":checked").length === 1
        && document.querySelector(".matches").textContent && box.parentElement.querySelector(".count").textContent;
    }, [name, value]).then((handle) => handle.jsonValue());
    await matching(page, countOf(count));
  }
}));

test("a link with filters shows the same, and clearing empties it", async () => {
  let link, titles;
  await open("failing", async (page) => {
    await page.locator("#search").fill("ledger-db");
    await page.locator(".facet:has(input[name=area]) summary").click();
    await page.locator("input[name=area][value=storage]").check();
    await page.waitForFunction(() => ["q=", "area="].every((part) => location.hash.includes(part)));
    link = new URL(page.url()).hash;
    titles = await shown(page);
  });
  assert.ok(titles.length > 0);
  await open("failing", async (page) => {
    assert.equal(await page.locator("#search").inputValue(), "ledger-db");
    assert.equal(await page.locator("input[name=area][value=storage]").isChecked(), true);
    assert.deepEqual(await shown(page), titles);
    await page.locator(".clear").click();
    await page.waitForFunction(() => !location.hash);
  }, { hash: link });
});

test("a link to a finding that the filters hide clears them", () => open("failing", async (page) => {
  const last = await page.locator(".card").last().getAttribute("id");
  await page.locator("#search").fill("no finding has these words");
  await page.waitForFunction(() => document.querySelector(".matches").textContent.startsWith("0 of"));
  assert.equal(await page.locator(".card:visible").count(), 0);
  await page.evaluate((id) => { location.hash = id; }, last);
  await page.locator(`#${last}`).waitFor({ state: "visible" });
  assert.equal(await page.locator("#search").inputValue(), "");
}));

test("filters work by keyboard", () => open("failing", async (page) => {
  await page.keyboard.press("/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "SUMMARY");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.type), "checkbox");
  await page.keyboard.press("Space");
  await page.locator(".clear").waitFor({ state: "visible" });
  await page.keyboard.press("Escape");
  await page.locator(".clear").waitFor({ state: "hidden" });
}));

test("without scripts there are no filters", () => open("failing", async (page) => {
  assert.equal(await page.locator(".filter").isVisible(), false);
}, { javaScriptEnabled: false }));
