// Pages work without this script. It keeps the feed of negotiations up to date while somebody looks, closes menus, and
// shows what a draft of a policy would do while its sliders move.

// Menus close by Esc, and by a press beside them.
const menus = () => document.querySelectorAll("details.menu[open], details.rest[open]");
document.addEventListener("click", (event) => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog:modal")) return;
  for (const menu of menus()) {
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
});

const feed = document.querySelector("[data-live]");
if (feed && window.EventSource) {
  const state = document.querySelector("[data-live-state]");
  const pause = document.querySelector("[data-live-pause]");
  let source, paused = false, held = false, late;
  const say = (text) => { state.lastChild.textContent = text; };
  const stop = () => { source?.close(); source = undefined; };
  const start = () => {
    if (source || paused || document.hidden) return;
    source = new EventSource(feed.dataset.live);
    source.onmessage = (event) => {
      clearTimeout(late);
      say("Live");
      if (!held) feed.innerHTML = event.data;
    };
    source.onerror = () => {
      clearTimeout(late);
      late = setTimeout(() => say("Paused, trying again"), 5000);
    };
  };
  for (const [event, value] of [["mouseenter", true], ["mouseleave", false], ["focusin", true], ["focusout", false]]) {
    feed.addEventListener(event, () => { held = value; });
  }
  document.addEventListener("visibilitychange", () => document.hidden ? stop() : start());
  pause.hidden = state.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Go on" : "Pause";
    paused ? (stop(), say("Paused")) : start();
  });
  start();
}

const replace = (part, next) => {
  next.querySelectorAll("noscript").forEach((n) => n.remove()); // a parser without scripts opens them up
  const open = [...part.querySelectorAll("details")].map((d) => d.open);
  part.replaceChildren(...next.childNodes);
  part.querySelectorAll("details").forEach((d, n) => { d.open ||= open[n] ?? false; });
};

// What runs, a sync or a simulation, is read again until it has ended. Nothing is replaced under the focus.
const watch = (wait) => setTimeout(async () => {
  const poll = document.querySelector("[data-poll]"), part = poll?.closest("[data-part]");
  if (!part) return;
  const whole = poll.dataset.poll === "whole"; // its end changes more than the part
  if (document.hidden || part.contains(document.activeElement)) return watch(wait);
  try {
    const answer = await fetch(location.href, { headers: { "X-Part": part.dataset.part } });
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return;
    if (!answer.ok) throw new Error(String(answer.status));
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(`[data-part="${part.dataset.part}"]`);
    if (!next || whole && !next.querySelector("[data-poll]")) return location.reload();
    replace(part, next);
    watch(1500);
  } catch { watch(Math.min(2 * wait, 30000)); } // the next one may come through
}, wait);
watch(1500);

const draft = document.querySelector("[data-draft]");
if (draft) {
  let late, asked;
  const parts = () => document.querySelectorAll("[data-part]");
  const show = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const effect = page.querySelector('[data-part="effect"]');
    if (!effect) return false;
    for (const part of parts()) {
      const next = page.querySelector(`[data-part="${part.dataset.part}"]`);
      if (next) replace(part, next);
    }
    for (const control of document.querySelectorAll("[data-ctl]")) {
      control.className = page.querySelector(`[data-ctl="${control.dataset.ctl}"]`).className;
    }
    history.replaceState(null, "", effect.dataset.address);
    return true;
  };
  const stale = (yes) => { for (const name of ["effect", "bar"]) document.querySelector(`[data-part="${name}"]`).classList.toggle("stale", yes); };
  const ask = async () => {
    asked?.abort();
    const mine = asked = new AbortController();
    stale(true);
    try {
      const address = draft.action.split("?")[0] + "?" + new URLSearchParams(new FormData(draft));
      const answer = await fetch(address, { headers: { "X-Part": "studio" }, signal: mine.signal });
      const text = await answer.text();
      if (mine !== asked) return;
      if (answer.redirected) location.reload();
      else if (show(text)) stale(false);
      else later(3000);
    } catch (error) {
      if (error.name !== "AbortError") later(3000);
    }
  };
  const later = (wait = 150) => { clearTimeout(late); late = setTimeout(ask, wait); };
  for (const control of document.querySelectorAll("[data-ctl]")) {
    const range = control.querySelector("input[type=range]");
    const number = control.querySelector(".val input");
    const place = () => control.querySelector(".fill").setAttribute("width", 100 * (range.value - range.min) / (range.max - range.min) + "%");
    range.hidden = false;
    range.parentNode.classList.add("live-range");
    range.addEventListener("input", () => { number.value = range.value; place(); });
    number.addEventListener("input", () => { range.value = number.value; place(); });
  }
  document.querySelector("[data-go]").classList.add("sr");
  draft.addEventListener("input", () => later());
  document.addEventListener("change", (event) => { if (event.target.getAttribute("form") === "draft") later(); });
}
