// The first screen: how bad it is, what to do first, and the state of the cluster, on a desk and on a phone; then the cards.

import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { open } from "./browser.mjs";

const SCREENS = [{ width: 1400, height: 900 }, { width: 390, height: 844 }];

const bottom = (locator) => locator.evaluate((element) => element.getBoundingClientRect().bottom);
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

for (const viewport of SCREENS) {
  test(`${viewport.width} px: verdict and first steps need no scrolling`, () => open("failing", async (page) => {
    assert.match(await page.locator(".headline").textContent(), /^\d+ causes found$/);
    const row = page.locator(".first li").first();
    for (const part of [".sev", "a", ".on", ".since", ".step"]) assert.ok(await row.locator(part).isVisible(), part);
    assert.ok(await bottom(row) < viewport.height, `the first row ends at ${await bottom(row)} px`);
    assert.ok(await bottom(page.locator(".chips")) < 300);
  }, { viewport }));
}

test("a row leads to its card, which opens", () => open("failing", async (page) => {
  const link = page.locator(".first li a").last();
  const card = page.locator(await link.getAttribute("href"));
  assert.equal(await card.evaluate((details) => details.open), false);
  await link.click();
  await card.locator(".message").first().waitFor({ state: "visible" });
}));

test("causes are counted the same everywhere, and the counts are the filter", () => open("failing", async (page) => {
  const chips = await page.locator(".chip").evaluateAll((all) => all.map((chip) => [chip.querySelector("input").value, Number(chip.querySelector(".count").textContent)]));
  const causes = Number((await page.locator(".headline").textContent()).split(" ")[0]);
  assert.ok(chips.length > 1);
  assert.equal(chips.reduce((sum, [, count]) => sum + count, 0), causes);
  const listed = await page.locator(".index a").evaluateAll((links) => links.map((link) => Number(link.querySelector(".count")?.textContent.slice(1) ?? 1)));
  assert.equal(listed.reduce((sum, count) => sum + count, 0), causes);
  for (const [value, count] of chips) {
    await page.locator(`.chip input[value=${value}]`).check();
    await page.waitForFunction((text) => document.querySelector(".matches").textContent.startsWith(text), `${count} of ${causes} causes`);
    await page.locator(`.chip input[value=${value}]`).uncheck();
  }
}));

test("tiles lead to lists, and what was not collected is not zero", async () => {
  await open("failing", async (page) => {
    const targets = await page.locator(".glance a").evaluateAll((links) => links.map((link) => link.hash));
    assert.equal(targets.length, 6);
    for (const target of targets) assert.equal(await page.locator(target).count(), 1, target);
    await page.locator('.glance a[href="#facts"]').click();
    await page.locator("#facts dl").waitFor({ state: "visible" });
  });
  await open("empty", async (page) => {
    const tiles = await page.locator(".glance strong").allTextContents();
    assert.ok(tiles.length >= 4, tiles.join());
    assert.deepEqual([...new Set(tiles)], ["not collected"]);
  });
});

test("where nothing was found the page says what to look at, and what to collect", () => open("healthy", async (page) => {
  const instead = await page.locator(".instead a").evaluateAll((links) => links.map((link) => link.hash));
  for (const target of ["#unhealthy", "#unexplained", "#collect", "#rules"]) assert.ok(instead.includes(target), instead.join());
  for (const target of instead) assert.ok(await page.locator(target).isVisible(), target);
  assert.match(await page.locator("#collect .command pre").first().textContent(), /^(kubectl|journalctl|cat) /);
}));

test("long ids are short to the eye and whole when copied", () => open("failing", async (page) => {
  const title = page.locator("h3:has(.cut)").first();
  const whole = await title.textContent();
  assert.match(whole, /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
  assert.equal(await title.locator("[title]").getAttribute("title"), whole);
  assert.equal(await title.locator(".cut").first().evaluate((cut) => getComputedStyle(cut).fontSize), "0px");
  await title.evaluate((element) => { getSelection().selectAllChildren(element); document.execCommand("copy"); });
  assert.equal((await copied(page)).trim(), whole);
}));

test("all cards but the first are folded, and so is all evidence but two lines", () => open("failing", async (page) => {
  const folded = await page.locator(".card").evaluateAll((cards) => cards.map((card) => card.open));
  assert.deepEqual(folded, folded.map((_, at) => at === 0));
  const proof = page.locator(".card[open] > .lead > .proof");
  assert.ok(await proof.locator(".brief > li").count() <= 2);
  assert.equal(await proof.locator(".whole").evaluate((details) => details.open), false);
}));

test("the index stands beside the cards, on a phone in a drawer", async () => {
  await open("failing", async (page) => {
    const [index, cards] = await Promise.all([".index", ".card"].map((name) => page.locator(name).first().boundingBox()));
    assert.ok(index.x + index.width < cards.x, "left of the cards");
  }, { viewport: SCREENS[0] });
  await open("failing", async (page) => {
    assert.equal(await page.locator(".index").isVisible(), false);
    await page.locator(".drawer > summary").click();
    assert.equal(await page.locator(".index").isVisible(), true);
  }, { viewport: SCREENS[1] });
  await open("failing", async (page) => {
    assert.equal(await page.locator(".index").isVisible(), true);
  }, { viewport: SCREENS[1], javaScriptEnabled: false });
});

test("the ticket has verdict, causes and first steps, and no path of this machine", () => open("failing", async (page) => {
  await page.locator(".top .ticket button").first().click();
  const ticket = await copied(page);
  for (const text of [/causes found: \d+ high/, /Do first:/, /```sh/, /stale-managed-chart/]) assert.match(ticket, text);
  const names = await page.locator(".first .cause a").allTextContents();
  for (const name of names) assert.ok(ticket.includes(name), name);
  assert.ok(!ticket.includes("samples/"), ticket);
}));

test("a card can be copied alone", () => open("failing", async (page) => {
  const card = page.locator(".card").first();
  await card.locator(".actions button").first().click();
  const text = await copied(page);
  assert.match(text, /^### /);
  for (const part of ["Impact", "What to do", "Evidence", "Verify"]) assert.ok(text.includes(part), part);
  assert.ok(!text.includes("samples/"), text);
}));

test("no page of the print is blank", () => open("failing", async (page) => {
  const pdf = await page.pdf({ format: "A4" });
  const text = execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, maxBuffer: 1 << 28 }).toString();
  const pages = text.split("\f").slice(0, -1);
  const blank = pages.map((page) => page.trim().split("\n").length < 3).indexOf(true);
  assert.ok(pages.length > 1);
  assert.ok(blank < 0 || blank === pages.length - 1, `page ${blank + 1} of ${pages.length} is blank`);
}));

test("what an older bundle does not have is marked, and counted beside the verdict", () => open("since", async (page) => {
  assert.ok((await page.locator(".tags .new").count()) > 0);
  assert.match(await page.locator(".verdict").innerText(), /Compared with .*: \d+ new, \d+ gone/);
}));
