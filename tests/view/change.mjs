// Changes memories through the pages of a running `mdmem view`, in two windows: `node change.mjs CHROMIUM ADDRESS STORE`, where
// STORE is the folder of the memories that tests/view/screens.rs makes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [executablePath, first, store] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const context = await browser.newContext();
const origin = new URL(first).origin;
const at = (path) => `${origin}/workspace/${path}`;

async function open(address) {
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error));
  // What is committed before a page listens is on no page that is there already.
  const listening = page.waitForRequest(/\/events$/);
  await page.goto(address);
  await listening;
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
await press(mine, "Make it my own");
await press(mine, "It still holds", /memory\/project\/total.*done=/);
await mine.goto(at("review.html"));
mine.on("dialog", (dialog) => dialog.accept());
await press(mine, "It is harmless: commit it");
for (const none of ["No conflicts.", "No suggestions.", "No memory names a file that is gone.", "Nothing is held back."]) await says(mine, none);

await mine.goto(at("memory/project/checkout.md.html"));
await press(mine, "Forget", /memories\.html\?done=/);

// Another browser has no way in.
const stranger = await (await browser.newContext()).newPage();
for (const address of [first, at("memories.html")]) assert.equal((await stranger.goto(address)).status(), 403);
await browser.close();
