"use strict";
const rows = kind => [...document.querySelectorAll(kind)].filter(row => row.checkVisibility());

// go moves to the next row of a kind, or to the one before.
function go(kind, by) {
  const all = rows(kind), at = document.activeElement.closest(".row");
  const later = row => at.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING;
  const next = !at ? all[0] : by > 0 ? all.find(later) : all.findLast(row => row !== at && !later(row));
  if (next) {
    next.focus({preventScroll: true});
    next.scrollIntoView({block: kind === ".row" ? "nearest" : "center"});
  }
}

// show opens the folds around what the address names.
function show() {
  const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = at && at.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (at) at.scrollIntoView({block: "center"});
}

const keys = {
  j: () => go(".row:not(.head)", 1), k: () => go(".row:not(.head)", -1), n: () => go(".row.finding, .row.follows, .row.warns", 1), p: () => go(".row.finding, .row.follows, .row.warns", -1),
  t: () => { document.querySelector("main > input:not(:checked)").checked = true },
  f: () => { const folds = [...document.querySelectorAll(".fold")], open = !folds.some(fold => fold.open); for (const fold of folds) fold.open = open },
  d: () => { const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; root.dataset.theme = dark ? "light" : "dark" },
};
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
addEventListener("hashchange", show);
if (location.hash) show();
