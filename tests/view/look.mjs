// Looks at pages in Chromium as people do: `node look.mjs CHROMIUM FOLDER PAGE...`. Each page narrow and light, wide and dark:
// nothing is wider than the window, axe finds nothing, no script fails and none of a memory runs. Then the keys, the
// search and a draft. Pages for the person at the machine are served with the policy of `mdmem view`, those of an export
// are opened as files. Screenshots go to $MDMEM_SCREENSHOTS where that is set.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, folder, ...pages] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const isLive = readFileSync(`${folder}/${pages[0]}`, "utf8").includes("data-live");
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const types = { css: "text/css", js: "text/javascript", html: "text/html; charset=utf-8" };
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split("?")[0]);
  const isEvents = path === "/events";
  const type = isEvents ? "text/event-stream" : types[path.split(".").pop()];
  response.writeHead(200, { "Content-Security-Policy": policy, "Content-Type": type });
  if (!isEvents) response.end(readFileSync(folder + path));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const base = isLive ? `http://127.0.0.1:${server.address().port}` : pathToFileURL(folder).href;
const address = (page) => `${base}/${page}`;
const shots = process.env.MDMEM_SCREENSHOTS;
if (shots) mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

async function open(options) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const fault = (what) => assert.fail(`${page.url()}: ${what}`);
  page.on("dialog", (dialog) => fault(`a dialog says ${dialog.message()}`));
  page.on("pageerror", (error) => fault(error));
  page.on("console", (message) => {
    if (message.type() === "error") fault(message.text());
  });
  page.on("request", (request) => assert.ok([base, "data:"].some((start) => request.url().startsWith(start)), request.url()));
  return page;
}

/** Nothing that axe knows of is wrong with a page as it is now. */
async function isAccessible(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run({ preload: false }));
  const told = found.violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => node.html).join("\n")}`);
  assert.equal(told.length, 0, `${where}:\n${told.join("\n")}`);
}

for (const [colorScheme, width] of [["light", 360], ["dark", 768], ["light", 1280], ["dark", 1920]]) {
  const page = await open({ colorScheme, viewport: { width, height: 900 } });
  for (const one of pages) {
    await page.goto(address(one));
    const where = `${one}, ${width} px, ${colorScheme}`;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${where}: ${wide} px wide`);
    // What a memory says makes no element that could run or load something, and leads nowhere but to pages and mail.
    const active = await page.evaluate(() => document.querySelectorAll("main :is(script, style, iframe, img, object, embed, link, base, meta, math), .note svg, main [onerror], main [onload], main [style]").length);
    assert.equal(active, 0, where);
    const kinds = await page.evaluate(() => [...document.querySelectorAll("a, form")].map((one) => new URL(one.href || one.action).protocol));
    assert.deepEqual(kinds.filter((kind) => !["http:", "https:", "mailto:", "file:"].includes(kind)), [], where);
    if (width === 360 || width === 1920) await isAccessible(page, where);
    if (shots) await page.screenshot({ path: `${shots}/${isLive ? "view" : "export"}-${one.replaceAll("/", "-")}-${width}-${colorScheme}.png` });
  }
  await page.context().close();
}

const page = await open({ viewport: { width: 1280, height: 900 } });
const list = pages.find((one) => one.endsWith("memories.html"));
await page.goto(address(list));
const focused = () => page.evaluate(() => document.activeElement.getAttribute("href") ?? document.activeElement.name);
await page.keyboard.press("j");
const first = await focused();
await page.keyboard.press("j");
assert.notEqual(await focused(), first);
await page.keyboard.press("k");
assert.equal(await focused(), first);
await page.keyboard.press("Enter");
await page.waitForURL(/\/memory\//);
await page.keyboard.press("u");
await page.waitForURL(/memories\.html$/);
await page.keyboard.press("/");
assert.equal(await focused(), "q");
const answered = isLive && page.waitForResponse(address(list) + "?q=check+pay");
await page.keyboard.type("check pay");
if (isLive) {
  await answered;
} else {
  await page.waitForFunction(() => document.querySelectorAll("#memories li:not([hidden])").length === 1);
  assert.equal(await page.textContent(".count"), "1 memory");
}
await page.keyboard.press("Escape");
await page.keyboard.press("?");
assert.ok(await page.isVisible("#keys"));
await isAccessible(page, "the keys");
await page.keyboard.press("Escape");
assert.ok(!(await page.isVisible("#keys")));

for (const one of pages.filter((one) => one.includes("/memory/"))) {
  await page.goto(address(one));
  if (!(await page.$("#text"))) continue;
  await page.keyboard.press("e");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("a draft");
  await page.reload();
  assert.match(await page.inputValue("#text"), /a draft$/, "the draft survives");
  break;
}
await browser.close();
server.close();
server.closeAllConnections();
console.log(`looked at ${pages.length} pages`);
