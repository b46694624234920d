// Changes memories through the pages of a running `mdmem view`, in two windows, and attacks them from a page of another
// origin: `node change.mjs CHROMIUM ADDRESS STORE OTHER`, where STORE is the folder of the memories that
// tests/view/screens.rs makes, and OTHER the address of somebody else's `mdmem view`.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const [executablePath, first, store, others] = process.argv.slice(2);
// A name that leads to this machine, as after DNS rebinding.
const rebound = "--host-resolver-rules=MAP rebound.example 127.0.0.1";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", rebound] });
const context = await browser.newContext();
const origin = new URL(first).origin;
const at = (path) => `${origin}/workspace/${path}`;

async function open(address) {
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error));
  await page.goto(address);
  return page;
}
/** Presses a button, and waits for the page of the change. */
async function press(page, name, expected = /done=/) {
  await page.getByRole("button", { name, exact: true }).first().click();
  await page.waitForURL(expected);
}
const says = (page, text) => page.waitForFunction((text) => document.querySelector("main").textContent.includes(text), text, { timeout: 30_000 });

const mine = await open(first);
await mine.waitForURL(/workspace\/memories\.html$/);
const other = await open(at("memories.html"));

// An edit is a commit, the other window shows it, and an undo takes it back.
await mine.getByRole("link", { name: "Money is counted in cents", exact: true }).click();
const memory = "memory/decision/money-is-counted-in-cents.md.html";
await mine.waitForURL(at(memory));
await mine.keyboard.press("e");
await mine.keyboard.press("Control+End");
await mine.keyboard.press("Backspace");
await mine.keyboard.type(", never in floats");
await mine.keyboard.press("Control+Enter");

await mine.waitForURL(/done=/);
await says(mine, "Money is counted in cents, never in floats");
await says(other, "Money is counted in cents, never in floats");
await press(mine, "Undo", /history\.html\?done=/);
await other.waitForFunction(() => !document.querySelector("main").textContent.includes("never in floats"));

// What is committed between the making of a page and its listening is told as soon as it listens.
const late = await context.newPage();
await late.route("**/events", async (route) => {
  writeFileSync(`${store}/project/between.md`, "Between the page and its ear\n");
  await says(other, "Between the page and its ear");
  await route.continue();
});
await late.goto(at("memories.html"));
await says(late, "Between the page and its ear");
await late.close();

// An older text comes back.
await mine.goto(at(memory));
const older = mine.locator('details:has(form[action$="/do/restore"])').filter({ hasText: "never in floats" }).first();
await older.locator("summary").click();
await older.getByRole("button", { name: "Restore this text" }).click();
await mine.waitForURL(/done=/);
await says(mine, "Money is counted in cents, never in floats");
await press(mine, "Undo", /history\.html\?done=/);

// The slider goes to a day, in both directions, and keeps the focus.
await mine.goto(at("prompt.html"));
await mine.locator("[type=range]").focus();
await mine.keyboard.press("Home");
await says(mine, "0 characters, as an agent gets them");
await mine.keyboard.press("End");
await says(mine, "if nothing else changes");
await mine.waitForFunction(() => document.querySelector("main").textContent.includes("Money is counted in cents"));
assert.equal(await mine.evaluate(() => document.activeElement.type), "range");

// A search as it is typed.
await mine.goto(at("memories.html"));
await mine.keyboard.press("/");
await mine.keyboard.type("checko");
await says(mine, "searched `checkout` instead");

// Pinned, unpinned, archived, brought back.
await mine.goto(at(memory));
await press(mine, "Pin", /system\/.*done=/);
await press(mine, "Unpin", /decision\/.*done=/);
await press(mine, "Archive", /archive\/.*done=/);
await press(mine, "Bring back", /decision\/.*done=/);

// A save that meets a newer text shows both, and loses none.
await mine.goto(at("memory/project/checkout.md.html"));
await mine.fill("#text", "Mine\n");
writeFileSync(`${store}/project/checkout.md`, "Theirs\n");
await mine.waitForFunction(() => document.querySelector("#notice").textContent.includes("Your draft is kept"));
assert.equal(await mine.inputValue("#text"), "Mine\n");
await mine.getByRole("button", { name: "Save", exact: true }).click();
await says(mine, "Not saved: the memory was changed meanwhile");
await says(mine, "Theirs");
assert.equal(await mine.inputValue("#text"), "Mine\n");
await press(mine, "Save");
await says(mine, "Mine");

// A text with a suspected secret is saved and held back.
await mine.goto(at(memory));
await mine.fill("#text", "Money is counted by root, whose password is Fake-Root-99.\n");
await press(mine, "Save", /done=held/);
assert.match(await mine.textContent("#notice"), /not committed: a suspected secret/);
writeFileSync(`${store}/decision/money-is-counted-in-cents.md`, "Money is counted in cents\n");
await mine.waitForFunction(() => document.querySelector("#edit"));

// What waits for a person, one click each.
await mine.goto(at("review.html"));
await press(mine, "Keep the other");
await press(mine, "Accept");
await mine.getByRole("button", { name: "Dismiss", exact: true }).click();
await says(mine, "No suggestions.");
await press(mine, "Make it my own");
await press(mine, "It still holds", /memory\/project\/total.*done=/);
await mine.goto(at("review.html"));
mine.on("dialog", (dialog) => dialog.accept());
await press(mine, "It is harmless: commit it");
for (const none of ["No conflicts.", "No suggestions.", "No memory names anything that is gone.", "Nothing is held back."]) await says(mine, none);

await mine.goto(at("memory/project/checkout.md.html"));
await press(mine, "Forget", /memories\.html\?done=/);

// A page of another origin reads nothing and changes nothing, although the browser has the cookie for this machine.
const hostile = createServer((_, response) => response.end("<!doctype html><iframe name=there></iframe>"));
await new Promise((listening) => hostile.listen(0, "127.0.0.1", listening));
const enemy = await context.newPage();
await enemy.goto(`http://127.0.0.1:${hostile.address().port}/`);
const before = readFileSync(`${store}/decision/money-is-counted-in-cents.md`, "utf8");
const attacks = await enemy.evaluate(async (origin) => {
  const asks = [[""], ["workspace/memories.html"], ["events"], ["workspace/do/archive", "POST"]].map(async ([path, method]) => {
    try {
      const body = method && new URLSearchParams({ path: "decision/money-is-counted-in-cents.md" });
      return (await fetch(`${origin}/${path}`, { method, body, credentials: "include" })).status;
    } catch {
      return "refused";
    }
  });
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: `${origin}/workspace/do/archive`, target: "there" });
  form.innerHTML = '<input name="path" value="decision/money-is-counted-in-cents.md">';
  document.body.append(form);
  const loaded = new Promise((done) => (document.querySelector("iframe").onload = done));
  form.submit();
  await loaded;
  return Promise.all(asks);
}, origin);
assert.deepEqual(attacks, Array(4).fill("refused"));
assert.equal(readFileSync(`${store}/decision/money-is-counted-in-cents.md`, "utf8"), before);
const frame = enemy.frames().find((frame) => frame.name() === "there");
await frame.goto(at("memories.html")).catch(() => {});
// The browser shows a page of its own instead.
while (!frame.url().startsWith("chrome-error:")) await enemy.waitForTimeout(50);
assert.equal((await enemy.goto(origin.replace("127.0.0.1", "rebound.example") + "/workspace/memories.html")).status(), 403);
hostile.close();

// Two people's stores: one browser has the pages of both, and neither cookie opens the other's.
const theirs = await open(others);
await says(theirs, "Theirs alone");
await mine.goto(at("memories.html"));
await says(mine, "Money is counted in cents");
const cookies = await context.cookies();
assert.equal(cookies.length, 2);
for (const [one, place] of [[0, 1], [1, 0]].map(([one, place]) => [cookies[one], cookies[place].name.split("-")[1]])) {
  const answer = await fetch(`http://127.0.0.1:${place}/workspace/memories.html`, { headers: { Cookie: `${one.name}=${one.value}` } });
  assert.equal(answer.status, 403);
}

// Another browser has no way in.
const stranger = await (await browser.newContext()).newPage();
for (const address of [first, at("memories.html")]) assert.equal((await stranger.goto(address)).status(), 403);
await browser.close();
