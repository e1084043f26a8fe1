// What a report is when it is opened: complete, alone, and the same without scripts.

import { test } from "node:test";
import assert from "node:assert/strict";
import { open } from "./browser.mjs";

const REPORTS = ["failing", "healthy", "hostile", "empty"];
const NARROW = { viewport: { width: 360, height: 740 } };

for (const name of REPORTS) {
  test(`${name}: nothing is loaded, refused or thrown`, () => open(name, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains("scripted")), true);
    assert.equal(await page.evaluate(() => performance.getEntriesByType("resource").length), 0);
  }));

  test(`${name}: a narrow window does not scroll sideways`, () => open(name, async (page) => {
    for (const details of await page.locator("details").all()) await details.evaluate((element) => { element.open = true; });
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `${content} px in a window of ${window}`);
  }, NARROW));

  test(`${name}: without scripts every finding can be read`, () => open(name, async (page) => {
    assert.equal(await page.locator(".filter").isVisible(), false);
    assert.equal(await page.locator("button:visible").count(), 0, "buttons that would do nothing");
    for (const title of await page.locator(".card h3").all()) assert.ok(await title.isVisible());
    await openAll(page);
    for (const message of await page.locator(".message").all()) assert.ok(await message.isVisible());
  }, { javaScriptEnabled: false }));
}

/// Opens what is folded as a reader does, outermost first: by a click.
async function openAll(page) {
  const closed = page.locator("details:not([open]) > summary:visible");
  for (let left = await closed.count(); left > 0; left = await closed.count()) await closed.first().click();
}

test("hostile names run nothing", () => open("hostile", async (page) => {
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.ok((await page.locator("body").innerText()).includes("<script>"));
}));

test("the copy button copies the command", () => open("failing", async (page) => {
  const command = page.locator(".command").first();
  await command.locator("button").click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await command.locator("pre").textContent());
  assert.ok(copied.length > 0);
  assert.equal(await command.locator("button").getAttribute("aria-label"), "Copied");
}));

test("one button copies what the bundle is for the ticket", () => open("failing", async (page) => {
  await page.locator(".ticket button").first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const text of ["Harvester support bundle", "v1.4.1", "Kubernetes v1.29.9", "3 of 3 ready", "Collected", "Logs cover", "secrets"]) {
    assert.ok(copied.includes(text), `${text} is not in ${copied}`);
  }
}));

test("other buttons copy it, or one card, for Jira", () => open("failing", async (page) => {
  const copied = async (place) => {
    await page.locator(place).getByRole("button", { name: "Copy for Jira" }).first().click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const whole = await copied(".ticket");
  assert.ok(whole.startsWith("*Harvester support bundle* {{") && whole.includes("\nh2. "), whole);
  const card = await copied(".actions");
  assert.ok(card.startsWith("h3. ") && card.includes("{code:bash}\n"), card);
}));

test("the foot tells how to make the report again", () => open("failing", async (page) => {
  const foot = await page.locator("footer").innerText();
  for (const text of ["gleaner analyze", "stale-managed-chart", "rules", "--max-bytes 64GiB", "none reached", "evaluate", "Content id"]) {
    assert.ok(foot.includes(text), `${text} is not in ${foot}`);
  }
  assert.ok(!foot.includes("--quiet") && !foot.includes("failing.html"));
}));
