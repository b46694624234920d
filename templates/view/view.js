"use strict";
// What pages do beyond links and forms: search as you type, keys, drafts that survive a reload, news of other windows.
(() => {
  const root = document.documentElement;
  const live = "live" in root.dataset;
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  // The commits that the stores are at: of this page as it was made, of the others as the server told them.
  const known = { [root.dataset.store]: root.dataset.head };

  // The same page again, or another answer of it, in the place of this one.
  let asked = 0;
  async function refresh(address = location.href) {
    const mine = ++asked;
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (!answer.ok || mine !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Somebody began to write while the answer was on its way.
    if (isDrafting() || document.activeElement?.matches("[data-draft]")) return changed();
    known[root.dataset.store] = page.documentElement.dataset.head;
    const there = $(".here a")?.href;
    const main = $("main");
    const next = document.adoptNode($("main", page));
    // A form in which somebody types or slides stays: its focus would be lost.
    const form = document.activeElement && document.activeElement.closest(".filters");
    if (form) {
      const said = $("output", next);
      if (said) $("output", form).replaceWith(said);
      for (const part of [...main.children]) if (!part.matches("h1, .filters")) part.remove();
      main.append(...[...next.children].filter((part) => !part.matches("h1, .filters")));
    } else main.replaceWith(next);
    prepare();
    const here = there && $$(".rows > li a, .step a").find((link) => link.href === there);
    if (here) {
      here.closest("li, .step").classList.add("here");
      if (!form) here.focus();
    }
  }

  function notice(words, address) {
    const line = document.createElement("p");
    line.textContent = words + " ";
    if (address) {
      const link = document.createElement("a");
      link.href = address;
      link.textContent = "Show it";
      line.append(link);
    }
    $("#notice").replaceChildren(line);
  }

  const changed = () => notice("The store has changed meanwhile. Your draft is kept.", location.href);

  // Times in the zone of the reader.
  function localTimes() {
    const form = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" });
    for (const time of $$("time[datetime]")) {
      const at = form.format(new Date(time.dateTime));
      if ("short" in time.dataset) time.title = at;
      else time.textContent = at;
    }
  }

  // A list filters as you type: by the server, or in an export among the rows that are there.
  function filter(form) {
    if (live) {
      const asks = new URLSearchParams(new FormData(form));
      for (const [name, value] of [...asks]) if (!value) asks.delete(name);
      const address = location.pathname + (asks.size ? "?" + asks : "");
      history.replaceState(null, "", address);
      return refresh(address);
    }
    const words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of $(form.dataset.search).children) {
      const said = row.textContent.toLowerCase();
      const fits = !form.type || !form.type.value || row.dataset.type === form.type.value;
      row.hidden = row.tagName !== "H2" && !(fits && words.every((word) => said.includes(word)));
      if (!row.hidden) shown++;
    }
    const count = $(".count");
    if (count) count.textContent = shown + (shown === 1 ? " memory" : " memories");
  }

  let waiting;
  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (form && form.matches("[data-search], [data-slide]")) {
      clearTimeout(waiting);
      waiting = setTimeout(() => filter(form), live ? 120 : 0);
    }
    if (event.target.dataset.draft) sessionStorage.setItem(event.target.dataset.draft, event.target.value);
  });

  // A draft is kept by path and revision until it is saved.
  function prepare() {
    localTimes();
    const text = $("[data-draft]");
    if (!text) return;
    const rev = text.form.rev;
    const place = text.dataset.draft.slice(0, -rev.value.length);
    for (const key of Object.keys(sessionStorage).filter((key) => key.startsWith(place))) {
      const draft = sessionStorage.getItem(key);
      const isOld = key !== text.dataset.draft;
      if (draft === text.value || (isOld && new URLSearchParams(location.search).has("done"))) {
        sessionStorage.removeItem(key);
        continue;
      }
      // A draft of an older text is saved as such: the answer shows both.
      text.value = draft;
      rev.value = key.slice(place.length);
      notice("Your draft is in the form again. It is not saved yet.", "#edit");
    }
  }
  const isDrafting = () => {
    const text = $("[data-draft]");
    return text && text.value !== text.defaultValue;
  };

  // Forgetting is for good: asked once more.
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button && button.matches(".danger") && !confirm(button.textContent + "?")) event.preventDefault();
    else if (isDrafting() && !event.target.matches("#edit") && event.target.method === "post" && !confirm("Your draft is not saved, and stays behind. Go on?")) event.preventDefault();
  });

  // The keys of a mail reader.
  function step(by) {
    const rows = $$(".rows > li, .step").filter((row) => !row.hidden);
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.classList.contains("here"));
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (at >= 0) rows[at].classList.remove("here");
    next.classList.add("here");
    const link = $("a", next);
    if (link) link.focus();
    next.scrollIntoView({ block: "nearest" });
  }
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => $("[type=search]")?.focus(),
    e: () => $("[data-draft]")?.focus(),
    u: () => {
      const back = $("nav [aria-current]") || $("nav a");
      // The list as it was, with its search.
      if (back) location.href = document.referrer.split("?")[0] === back.href ? document.referrer : back.href;
    },
    "?": () => $("#keys").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.dataset.draft) event.target.form.requestSubmit();
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = keys[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    event.preventDefault();
    key();
  });

  // A commit of this store, by whomever, shows itself; what is being written stays. A window that nobody sees lets go of
  // its connection, of which a browser has six.
  let events;
  function listen() {
    events?.close();
    if (document.hidden) return;
    events = new EventSource(root.dataset.root + "events");
    events.addEventListener("commit", ({ data }) => {
      const at = data.lastIndexOf(" ");
      const [store, head] = [data.slice(0, at), data.slice(at + 1)];
      const before = known[store];
      known[store] = head;
      // The prompt has lines of the global store too.
      if (before === undefined || before === head || (store !== root.dataset.store && !$(".prompt"))) return;
      if (isDrafting()) changed();
      else refresh();
    });
  }
  if (live && root.dataset.store) {
    listen();
    document.addEventListener("visibilitychange", listen);
  }
  prepare();
})();
