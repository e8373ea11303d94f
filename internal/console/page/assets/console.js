// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// What a page does beyond its forms, which work without it: countdowns, times in
// the reader's zone, and what has changed since, told by the server's events.
// Pages are fetched as documents and parts of them moved over: no text is ever
// made into markup here.
"use strict";
(() => {
  const lang = document.documentElement.lang;
  const live = document.getElementById("live");

  // Countdowns. The server's own texts stay until the first tick; a page that is
  // open tells screen readers every half minute.
  const two = (n) => String(n).padStart(2, "0");
  const left = (ms) => {
    const s = Math.max(0, Math.floor(ms / 1000));
    const h = Math.floor(s / 3600);
    return (h > 0 ? h + ":" + two(Math.floor((s % 3600) / 60)) : Math.floor(s / 60)) + ":" + two(s % 60);
  };
  const tick = () => {
    const now = Date.now();
    for (const t of document.querySelectorAll("time[data-until]")) {
      const ms = Date.parse(t.dateTime) - now;
      t.textContent = left(ms);
      t.classList.toggle("soon", ms < 120000);
      if (t.hasAttribute("data-say") && Math.floor(ms / 1000) % 30 === 0) live.textContent = t.textContent;
    }
  };

  // Times in the reader's own zone.
  const zone = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "medium" });
  const brief = new Intl.DateTimeFormat(lang, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
  const local = (root) => {
    for (const t of root.querySelectorAll("time[data-when]")) {
      t.title = t.textContent;
      t.textContent = (t.dataset.when === "brief" ? brief : zone).format(new Date(t.dateTime));
    }
  };

  // A button that was pressed is not pressed twice.
  document.addEventListener("submit", (e) => {
    for (const b of e.target.querySelectorAll("button")) setTimeout(() => { b.disabled = true; }, 0);
  });
  addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });

  // fresh fetches this page again and moves over the parts that differ, no more
  // often than they ask for.
  const pace = Math.max(300, ...[...document.querySelectorAll("[data-pace]")].map((e) => Number(e.dataset.pace)));
  let busy = false, again = false;
  const fresh = () => {
    if (!document.querySelector("[data-fresh]")) return;
    if (busy) { again = true; return; }
    busy = true;
    const r = new XMLHttpRequest();
    r.open("GET", location.href);
    r.responseType = "document";
    r.setRequestHeader("X-Console-Refresh", "1");
    r.onloadend = () => {
      setTimeout(() => { busy = false; if (again) { again = false; fresh(); } }, pace);
      if (r.status !== 200 || !r.response) return;
      for (const old of document.querySelectorAll("[data-fresh]")) {
        const next = r.response.getElementById(old.id);
        if (!next) { location.reload(); return; }
        if (next.dataset.raw === old.dataset.raw && next.isEqualNode(old.before_)) continue;
        const focus = old.contains(document.activeElement) && document.activeElement.id;
        const changed = old.dataset.version && old.dataset.version !== next.dataset.version;
        const copy = next.cloneNode(true);
        for (const d of old.querySelectorAll("details[open][id]")) { const same = next.querySelector("#" + CSS.escape(d.id)); if (same) same.open = true; }
        old.replaceWith(document.adoptNode(next));
        next.before_ = copy;
        local(next);
        if (focus && document.getElementById(focus)) document.getElementById(focus).focus();
        if (changed && document.getElementById("decide")) stale();
      }
      tick();
    };
    r.send();
  };
  // stale: what the forms are bound to is not what is there any more.
  const stale = () => {
    const d = document.getElementById("decide");
    for (const b of d.querySelectorAll("button, textarea")) b.disabled = true;
    const p = document.createElement("p"), a = document.createElement("a");
    p.className = "flash warn";
    p.setAttribute("role", "alert");
    a.href = location.href;
    a.textContent = live.dataset.changed;
    p.append(a);
    d.prepend(p);
  };

  const counted = (n) => {
    const c = document.getElementById("waiting");
    if (c) { c.textContent = n; c.hidden = n === ""; }
    document.title = (n === "" ? "" : "(" + n + ") ") + document.body.dataset.title;
  };
  const path = document.body.dataset.live;
  if (path) {
    const events = new EventSource(path);
    let lost = 0, poll = 0;
    events.addEventListener("change", (e) => { counted(e.data); fresh(); });
    events.addEventListener("over", () => { events.close(); location.reload(); });
    events.onopen = () => { clearInterval(poll); if (lost) { lost = 0; live.textContent = ""; fresh(); } };
    events.onerror = () => {
      if (!lost) { lost = 1; live.textContent = live.dataset.lost; clearInterval(poll); poll = setInterval(fresh, 10000); }
    };
  }

  for (const el of document.querySelectorAll("[data-fresh]")) el.before_ = el.cloneNode(true);
  local(document);
  tick();
  setInterval(tick, 1000);
})();
