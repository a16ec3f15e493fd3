// Sorting, searching, picking, charts by keyboard, copying, rows of a finding, shares as bars, the contents. The page is whole without this.
"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  if (!cell.classList.contains("n")) return cell.title || cell.textContent.trim();
  return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
}

// "≤ 64 KiB" in bytes; null: it is no size.
function sizeOf(text) {
  const found = /^[≤<>≥\s]*([\d.]+)\s*([KMGT]?)i?B$/.exec(text);
  return found && Number(found[1]) * 1024 ** " KMGT".indexOf(found[2] || " ");
}

function compareTexts(a, b) {
  const x = sizeOf(a), y = sizeOf(b);
  return x !== null && y !== null ? x - y : a.localeCompare(b);
}

// What is not known comes last, whichever way; equals keep their order.
function compare(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  return (typeof a === "number" ? a - b : compareTexts(a, b)) * direction;
}

// Numbers begin with the largest, words with A; a second click turns the order round.
function sort(table, header) {
  const column = header.cellIndex;
  const first = header.classList.contains("n") ? "descending" : "ascending";
  const second = first === "descending" ? "ascending" : "descending";
  const order = header.getAttribute("aria-sort") === first ? second : first;
  const direction = order === "ascending" ? 1 : -1;
  const rows = Array.from(table.tBodies[0].rows, (row) => [valueOf(row, column), row]);

  rows.sort((a, b) => compare(a[0], b[0], direction));
  table.tBodies[0].append(...rows.map((pair) => pair[1]));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
}

for (const table of document.querySelectorAll("table")) {
  if (table.tBodies[0].rows.length < 2) continue;
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(table, header));
    header.append(button);
  }
}

// One box for all tables: rows that hold each of its words, in what they show or in what they shorten.
const rows = Array.from(document.querySelectorAll(".scroll tbody tr"), (row) => {
  const titles = Array.from(row.cells, (cell) => cell.title).join(" ");
  return { row, text: (row.textContent + " " + titles).toLowerCase() };
});

// Tables without a row that is left are out of the way, and so are sections of such tables and what leads to either.
function hideEmpty(filters) {
  const isEmpty = (element) => filters && element.querySelector(".scroll") !== null && element.querySelector("tbody tr:not(.out)") === null;
  for (const element of document.querySelectorAll(".table, section")) element.classList.toggle("out", isEmpty(element));
  for (const link of document.querySelectorAll("nav a"))
    link.parentElement.classList.toggle("out", document.getElementById(link.hash.slice(1)).closest(".out") !== null);
}

function search(text, status) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => words.every((word) => row.text.includes(word)));
  const left = new Set(found.map(({ row }) => row));

  for (const { row } of rows) row.classList.toggle("out", !left.has(row));
  hideEmpty(words.length > 0);
  status.textContent = words.length ? `${left.size.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows` : "";
}

function addSearch() {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const status = document.createElement("span");
  const form = document.createElement("div");

  form.className = "search";
  input.type = "search";
  input.id = "search";
  label.htmlFor = input.id;
  label.textContent = "Filter tables";
  status.setAttribute("role", "status");
  input.addEventListener("input", () => search(input.value, status));
  form.append(label, input, status);
  document.querySelector("header").append(form);
}

if (rows.length > 1) addSearch();

function clearSearch() {
  const input = document.querySelector("#search");
  if (!input || !input.value) return;
  input.value = "";
  input.dispatchEvent(new Event("input"));
}

// A command is copied with a click. Pages from a disk have no clipboard of their own everywhere: what is selected is copied then.
async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
    getSelection().removeAllRanges();
  }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

for (const code of document.querySelectorAll("code.command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.setAttribute("aria-label", `copy ${code.textContent}`);
  button.addEventListener("click", () => copy(code, button));
  code.after(button);
}

// What a finding points to: the rows of its name, or of its time; else the table, which the style marks.
function isMeant(row, link) {
  const { from, to, name } = link.dataset;
  if (name !== undefined) return partOf(row) === name || partOf(row).startsWith(name + "<");
  const at = row.querySelector(".at[data-v]");
  return from !== undefined && at !== null && Number(at.dataset.v) >= Number(from) && Number(at.dataset.v) < Number(to);
}

function mark(link) {
  const meant = Array.from(document.querySelectorAll(`${link.hash} tbody tr`)).filter((row) => isMeant(row, link));

  for (const row of document.querySelectorAll("tr.mine")) row.classList.remove("mine");
  for (const row of meant) row.classList.add("mine");
  if (meant.length) meant[0].scrollIntoView({ block: "nearest" });
}

// Before the browser goes there: what a filter hides has no place.
function follow(link) {
  clearSearch();
  setTimeout(mark, 0, link);
}

for (const link of document.querySelectorAll("a.rows")) link.addEventListener("click", () => follow(link));

for (const cell of document.querySelectorAll("td.p[data-v]")) {
  const share = Math.min(100, Math.max(0, Number(cell.dataset.v)));
  cell.classList.add("bar");
  cell.style.setProperty("--share", share + "%");
}

// A click on a part of a chart, or its name, lists that part's rows of a table; a second one all.
function partOf(row) {
  return row.cells[0].title || row.cells[0].textContent;
}

function pick(table, figures, name) {
  const rows = Array.from(table.querySelectorAll("tbody tr"));
  const picked = table.dataset.picked === name ? undefined : name;

  if (!rows.some((row) => partOf(row) === name)) return;
  if (picked === undefined) delete table.dataset.picked;
  else table.dataset.picked = picked;
  for (const row of rows) row.hidden = picked !== undefined && partOf(row) !== picked;
  for (const figure of figures) {
    figure.classList.toggle("picked", picked !== undefined);
    for (const box of figure.querySelectorAll("[data-part]"))
      box.classList.toggle("mine", nameOf(figure, box.dataset.part) === picked);
    for (const button of figure.querySelectorAll(".legend button"))
      button.setAttribute("aria-pressed", String(button.textContent === picked));
  }
  if (picked !== undefined) table.scrollIntoView({ block: "nearest" });
}

function nameOf(figure, part) {
  return figure.querySelectorAll(".legend li")[part].textContent;
}

for (const table of document.querySelectorAll(".table[data-name]")) {
  const figures = document.querySelectorAll(`figure[data-picks="${table.dataset.name}"]`);
  for (const figure of figures) {
    for (const item of figure.querySelectorAll(".legend li")) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.append(...item.childNodes);
      button.addEventListener("click", () => pick(table, figures, item.textContent));
      item.append(button);
    }
    for (const box of figure.querySelectorAll("[data-part]"))
      box.addEventListener("click", () => pick(table, figures, nameOf(figure, box.dataset.part)));
  }
}

// Boxes of a chart by keyboard: Tab goes to one of a drawing, arrows go on from there, and what a pointer would be told stands below it.
function placeOf(box) {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
  return { box, left: x, right: x + width, top: y, bottom: y + height };
}

// The nearest one that way: of its row or, up and down, of what stands above or below it.
const ways = {
  ArrowRight: (from, to) => to.top < from.bottom && to.bottom > from.top && to.left > from.right - 0.1 ? to.left - from.left : NaN,
  ArrowLeft: (from, to) => ways.ArrowRight(to, from),
  ArrowDown: (from, to) => to.left < from.right && to.right > from.left && to.top > from.top ? to.top - from.top + to.left / 1e4 : NaN,
  ArrowUp: (from, to) => to.left < from.right && to.right > from.left && to.top < from.top ? from.top - to.top + to.left / 1e4 : NaN,
};

function boxBeside(boxes, box, key) {
  const from = placeOf(box);
  let best = null, least = Infinity;
  for (const to of boxes.map(placeOf)) {
    const far = to.box === box ? NaN : ways[key](from, to);
    if (far < least) [best, least] = [to.box, far];
  }
  return best;
}

function tell(figure, text) {
  let line = figure.querySelector(".tell");
  if (!line) {
    line = document.createElement("p");
    line.className = "tell";
    line.setAttribute("role", "status");
    figure.append(line);
  }
  line.textContent = text;
}

function readByKeys(svg, boxes) {
  const reach = (box) => {
    for (const other of boxes) other.setAttribute("tabindex", other === box ? "0" : "-1");
  };

  svg.setAttribute("role", "group");
  for (const box of boxes) box.setAttribute("role", "img");
  reach(boxes[0]);
  svg.addEventListener("focusin", (event) => {
    reach(event.target);
    tell(svg.closest("figure"), event.target.querySelector("title").textContent);
  });
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (!(event.key in ways)) return;
    event.preventDefault();
    const next = boxBeside(boxes, event.target, event.key);
    if (next) next.focus();
  });
}

for (const svg of document.querySelectorAll("figure svg")) {
  const boxes = Array.from(svg.querySelectorAll("rect:has(title)"));
  if (boxes.length) readByKeys(svg, boxes);
}

// Beside the answer the contents are open; above it they would keep it out of sight.
const narrow = matchMedia("(max-width: 62rem)");

function fitContents() {
  for (const contents of document.querySelectorAll("nav details")) contents.open = !narrow.matches;
}

narrow.addEventListener("change", fitContents);
fitContents();

const links = new Map();
for (const link of document.querySelectorAll("nav a")) links.set(link.hash.slice(1), link);

// On a phone the header goes away up to its box, which stays.
const phone = matchMedia("(max-width: 44rem)");

function fitHeader() {
  const header = document.querySelector("header");
  const box = header.querySelector(".search");
  const away = !phone.matches ? 0 : box ? box.offsetTop - 4 : header.offsetHeight;
  const style = document.documentElement.style;

  header.style.setProperty("--away", away + "px");
  style.setProperty("--head", header.offsetHeight - away + "px");
}

new ResizeObserver(fitHeader).observe(document.querySelector("header"));
fitHeader();

function headerEnd() {
  return parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
}

// The contents scroll by themselves: what is marked stays in sight there.
function keepInSight(link) {
  const nav = link.closest("nav"), box = nav.getBoundingClientRect(), at = link.getBoundingClientRect();
  if (at.top < box.top) nav.scrollTop -= box.top - at.top;
  else if (at.bottom > box.bottom) nav.scrollTop += at.bottom - box.bottom;
}

function markHere() {
  const end = headerEnd() + 24;
  let here = null;
  for (const [id, link] of links) {
    const target = document.getElementById(id);
    link.classList.remove("here");
    if (here === null || (target.checkVisibility() && target.getBoundingClientRect().top < end)) here = link;
  }
  if (!here) return;
  here.classList.add("here");
  keepInSight(here);
}

document.addEventListener("scroll", markHere, { passive: true });
markHere();
document.documentElement.dataset.ready = "yes";
