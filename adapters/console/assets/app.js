// Pages work without this script. It keeps the feed of negotiations up to date, while somebody looks.
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
