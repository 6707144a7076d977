// The palette (Ctrl K) and the keyboard shortcuts. Pages work without them.
const palette = document.getElementById("palette");
const shortcuts = document.getElementById("shortcuts");

// The palette asks the page of search results for its results alone.
if (palette) {
  const field = palette.querySelector("input"), results = palette.querySelector("[data-found]"), count = palette.querySelector("[data-found-count]");
  const address = palette.querySelector("form").action;
  let waiting, asked;
  const links = () => [...results.querySelectorAll("a")];
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    try {
      const answer = await fetch(address + "?q=" + encodeURIComponent(field.value), { headers: { "HX-Request": "true" }, signal });
      if (!answer.ok) throw new Error(String(answer.status));
      if (answer.redirected) return location.reload(); // the session is over
      const found = await answer.text();
      if (signal.aborted) return;
      results.innerHTML = found;
      count.textContent = links().length + " found";
    } catch (error) {
      if (error.name !== "AbortError") results.textContent = "The search failed. Try again.";
    }
  };
  const open = (text) => {
    if (palette.open) return;
    field.value = text;
    palette.showModal();
    field.select();
    ask();
  };
  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(ask, 120); });
  palette.addEventListener("keydown", (event) => {
    const all = links(), at = all.indexOf(document.activeElement);
    if (event.key === "ArrowDown") (all[at + 1] ?? all[0])?.focus();
    else if (event.key === "ArrowUp") (at > 0 ? all[at - 1] : field).focus();
    else if (event.key === "Enter" && event.ctrlKey && event.target === field && all[0]) window.open(all[0].href, "_blank", "noopener");
    else return;
    event.preventDefault();
  });
  palette.querySelector("form").addEventListener("submit", (event) => { // Enter opens the first result
    const first = links()[0];
    if (first) { event.preventDefault(); first.click(); }
  });
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); }); // beside it
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open("");
    }
  });
}

// Single keys, which can be switched off (WCAG 2.1.4).
if (shortcuts) {
  const kept = "haggle-single-keys";
  const on = shortcuts.querySelector("[data-single-keys]");
  const read = () => { try { return localStorage.getItem(kept) !== "off"; } catch { return true; } };
  on.checked = read();
  on.addEventListener("change", () => { try { localStorage.setItem(kept, on.checked ? "on" : "off"); } catch { /* kept for this page alone */ } });
  for (const button of document.querySelectorAll('[data-open="shortcuts"]')) {
    button.hidden = false;
    button.addEventListener("click", () => shortcuts.showModal());
  }
  const rows = () => [...document.querySelectorAll("main tbody tr td:first-child a, main tbody td.pick + td a, main .rows a[href]")];
  const step = (by) => {
    const all = rows();
    if (all.length === 0) return;
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))].focus();
  };
  const reach = (key) => document.querySelector(`main [aria-keyshortcuts="${key}"]`)?.focus(); // Enter does it
  const follow = (rel) => document.querySelector(`main a[rel="${rel}"]`)?.click();
  const keys = {
    "?": () => shortcuts.showModal(),
    "/": () => (document.querySelector("main input[type=search]") ?? document.querySelector(".find input"))?.focus(),
    "j": () => step(1),
    "k": () => step(-1),
    "[": () => follow("prev"),
    "]": () => follow("next"),
    "a": () => reach("a"),
    "r": () => reach("r"),
    "x": () => document.activeElement.closest("tr")?.querySelector(".pick input")?.click(),
    "z": () => document.querySelector(".toast [data-undo]")?.click(),
  };
  let going = 0; // until when a letter names a page
  document.addEventListener("keydown", (event) => {
    if (!on.checked || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (event.timeStamp < going) {
      going = 0;
      const page = [...shortcuts.querySelectorAll("[data-go]")].find((a) => a.dataset.go === event.key);
      if (page) { event.preventDefault(); page.click(); }
    } else if (event.key === "g") going = event.timeStamp + 1500;
    else if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
}
