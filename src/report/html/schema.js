// One table at a time, search, and buttons that copy. The page is whole without this.
"use strict";

const articles = Array.from(document.querySelectorAll("main > article"));
const queriesTitle = document.getElementById("schema-queries");

// What the address says: a table with the queries that read it, or everything that is drawn.
function show() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const table = target && target.classList.contains("entry") ? target : null;
  let queries = 0;

  for (const article of articles) {
    const mine = article.classList.contains("query");
    if (!mine) article.hidden = article !== (table || document.getElementById("schema-all"));
    else article.hidden = table !== null && !article.dataset.tables.split(" ").includes(table.id);
    queries += mine && !article.hidden;
  }
  queriesTitle.hidden = queries === 0;
  for (const item of document.querySelectorAll("nav li"))
    item.classList.toggle("here", target !== null && item.firstChild.hash === location.hash);
  if (target && target.classList.contains("query")) target.scrollIntoView();
  else scrollTo(0, 0);
}

// Search: every word must be found, in the name and comment of a table or all in one of its columns.
function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function holds(text, words) {
  return words.every((word) => text.includes(word));
}

const entries = Array.from(document.querySelectorAll("nav li"), (item) => {
  const article = document.getElementById(item.firstChild.hash.slice(1));
  const rows = Array.from(article.querySelectorAll("tbody tr"), (row) => ({
    row, name: row.cells[0].textContent, text: row.textContent.toLowerCase(),
  }));
  const about = article.querySelector(".note");
  let text = item.firstChild.textContent;
  if (about) text += " " + about.textContent;
  if (article.classList.contains("query")) text += " " + article.querySelector(".sql").textContent;
  return { item, rows, text: text.toLowerCase() };
});

function nameSome(rows) {
  const names = rows.slice(0, 6).map((hit) => hit.name).join(", ");
  return rows.length > 6 ? `${names}, ${rows.length - 6} more` : names;
}

function narrow(entry, words) {
  const own = holds(entry.text, words);
  const hits = words.length ? entry.rows.filter((row) => holds(row.text, words)) : [];
  const old = entry.item.querySelector(".hits");

  if (old) old.remove();
  entry.item.hidden = !own && hits.length === 0;
  for (const row of entry.rows) row.row.classList.toggle("hit", hits.includes(row));
  if (hits.length === 0) return;
  const line = document.createElement("span");
  line.className = "hits";
  line.textContent = nameSome(hits);
  entry.item.append(line);
}

const box = document.createElement("input");
const said = document.createElement("p");

function visible() {
  return entries.filter((entry) => !entry.item.hidden).map((entry) => entry.item);
}

function mark(item) {
  for (const entry of entries) entry.item.classList.toggle("at", entry.item === item);
  if (item) item.scrollIntoView({ block: "nearest" });
}

function search() {
  const words = wordsOf(box.value);

  for (const entry of entries) narrow(entry, words);
  for (const list of document.querySelectorAll("nav ol"))
    list.previousElementSibling.hidden = Array.from(list.children).every((item) => item.hidden);
  const found = visible();
  mark(words.length ? found[0] : null);
  said.replaceChildren();
  if (words.length) said.textContent = found.length ? `${found.length} found` : "nothing is called so";
  else said.append("Press ", key("/"), " to search, ", key("↑"), key("↓"), " to move, ", key("Enter"), " to open");
}

function key(text) {
  const element = document.createElement("kbd");
  element.textContent = text;
  return element;
}

function move(by) {
  const items = visible();
  const at = items.findIndex((item) => item.classList.contains("at"));
  const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by));

  if (items.length) mark(items[next]);
}

function open() {
  const item = document.querySelector("nav li.at");
  if (item) location.hash = item.firstChild.hash;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target === box;

  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !typing) box.focus();
  else if (event.key === "Escape" && typing) { box.value = ""; search(); }
  else if (event.key === "ArrowDown" && (typing || event.target === document.body)) move(1);
  else if (event.key === "ArrowUp" && (typing || event.target === document.body)) move(-1);
  else if (event.key === "Enter" && (typing || event.target === document.body)) open();
  else return;
  event.preventDefault();
});

// Pointing at a table picks out its keys.
for (const link of document.querySelectorAll(".keys a")) {
  const figure = link.closest("figure");
  const number = link.dataset.table;
  const mine = figure.querySelectorAll(`[data-from="${number}"], [data-to="${number}"]`);
  const pick = (on) => {
    figure.classList.toggle("picked", on);
    for (const line of mine) line.classList.toggle("mine", on);
  };
  link.addEventListener("pointerenter", () => pick(true));
  link.addEventListener("pointerleave", () => pick(false));
}

// Where a browser lends no clipboard to a file, text that is selected can still be copied.
function copySelected(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done ? Promise.resolve() : Promise.reject(new Error("not copied"));
}

function copy(text) {
  if (!navigator.clipboard) return copySelected(text);
  return navigator.clipboard.writeText(text).catch(() => copySelected(text));
}

function report(button, text) {
  button.textContent = text;
  button.classList.toggle("done", text === "Copied");
  setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1500);
}

for (const text of document.querySelectorAll("pre")) {
  const frame = document.createElement("div");
  const button = document.createElement("button");

  frame.className = "copied";
  button.type = "button";
  button.textContent = "Copy";
  button.title = text.className === "sql" ? "copy the query" : "copy the command";
  button.addEventListener("click", () => copy(text.textContent)
    .then(() => report(button, "Copied"), () => report(button, "Failed")));
  text.replaceWith(frame);
  frame.append(text, button);
}

const find = document.createElement("div");
find.className = "find";
box.type = "search";
box.placeholder = "Tables, columns, queries";
box.setAttribute("aria-label", "Search tables, columns and queries");
box.addEventListener("input", search);
said.setAttribute("aria-live", "polite");
find.append(box, said);
document.querySelector("nav").prepend(find);

document.body.classList.add("explored");
addEventListener("hashchange", show);
search();
show();
document.documentElement.dataset.ready = "yes";
