// Pages are read without this script. It copies commands, filters lists while one types, and opens what a link leads to.
const narrow = matchMedia("(max-width: 860px)");
const contents = document.querySelector(".contents");
if (contents && narrow.matches) contents.open = false;
narrow.addEventListener("change", () => { if (contents) contents.open = !narrow.matches; });

for (const pre of document.querySelectorAll(".code pre")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy: ${pre.getAttribute("aria-label")}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  pre.after(button);
}

const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const operation = target?.closest("details.op, details.list");
  if (operation) {
    operation.open = true;
    (operation.matches(".list") ? target : operation).scrollIntoView();
  }
};
addEventListener("hashchange", open);
open();

const tools = document.querySelector("[data-tools]");
if (tools) {
  const all = tools.querySelector("[data-all]");
  const operations = [...document.querySelectorAll("details.op")];
  tools.hidden = operations.length < 2;
  all.addEventListener("click", () => {
    const closed = operations.some((o) => !o.open);
    for (const o of operations) o.open = closed;
    all.textContent = closed ? "Close all" : "Open all";
  });
}

const field = document.querySelector(".find input");
const rows = [...document.querySelectorAll("[data-words]")];
if (field && rows.length && !field.value) {
  const found = document.querySelector("[data-found]");
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      row.hidden = !words.every((w) => row.dataset.words.includes(w));
      count += !row.hidden;
    }
    for (const group of document.querySelectorAll("[data-group]")) {
      group.hidden = !group.querySelector("[data-words]:not([hidden])");
      group.open = words.length > 0;
    }
    found.textContent = words.length ? `${count} of ${rows.length} operations` : "";
  });
}
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  if (field) {
    event.preventDefault();
    field.focus();
  }
});
