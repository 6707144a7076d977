// Confirmations open over the page, without this script their links show them in it. What was done is read out and goes by
// itself.
document.documentElement.classList.add("scripted");
const named = (hash) => hash.length > 1 ? document.querySelector(`dialog.confirm[id="${CSS.escape(hash.slice(1))}"]`) : null;
const within = (link) => link.origin + link.pathname + link.search === location.origin + location.pathname + location.search;
const ask = (dialog, opener) => {
  dialog.opener = opener;
  dialog.open = false; // what the server opened is in the page
  dialog.showModal();
};

for (const dialog of document.querySelectorAll("dialog.confirm")) {
  const cancel = dialog.querySelector("[data-cancel]");
  const elsewhere = () => !cancel.getAttribute("href").startsWith("#"); // it was opened by its own page, which Cancel leaves
  cancel.addEventListener("click", (event) => {
    if (elsewhere()) return;
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("close", () => {
    if (elsewhere()) location.assign(cancel.href);
    else dialog.opener?.focus();
  });
  if (dialog.open) ask(dialog, document.querySelector(`a[href="#${dialog.id}"]`));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const dialog = link && within(link) ? named(link.hash) : null;
  if (!dialog || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  ask(dialog, link);
});
const asked = named(location.hash);
if (asked && !asked.open) ask(asked, document.querySelector(`a[href="${location.hash}"]`));

const toast = document.querySelector(".toast");
if (toast) {
  const words = toast.querySelector("span"), said = words.textContent;
  words.textContent = ""; // a status is read out when it changes
  setTimeout(() => { words.textContent = said; }, 100);
  toast.addEventListener("animationend", () => {
    if (toast.contains(document.activeElement)) document.getElementById("main").focus();
    toast.remove();
  });
  const address = new URL(location.href); // or the same page, opened again, would say it again
  address.searchParams.delete("done");
  history.replaceState(history.state, "", address);
}

// The bar stands over the head of the list while rows are selected. Without this script it is always there.
const bulk = document.querySelector("[data-bulk]");
if (bulk) {
  const all = document.querySelector("[data-bulk-all]"), count = bulk.querySelector("[data-bulk-count]");
  const boxes = [...document.querySelectorAll('input[type="checkbox"][form="bulk"]')];
  const show = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    bulk.hidden = chosen === 0;
    count.textContent = chosen + " selected:";
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && !all.checked;
    for (const box of boxes) box.closest("tr").classList.toggle("on", box.checked);
  };
  const choose = (yes) => { for (const box of boxes) box.checked = yes; show(); };
  all.hidden = false;
  all.addEventListener("change", () => choose(all.checked));
  for (const box of boxes) box.addEventListener("change", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !bulk.hidden && !document.querySelector("dialog:modal")) choose(false);
  });
  window.addEventListener("pageshow", show); // browsers keep what was selected when somebody comes back
  show();
}
