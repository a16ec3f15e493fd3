/** What else does the trace hold? SQL on it, with the tables and columns at hand. */
import {lineChart, stackedBars} from "../charts.js";
import {answerLines, answerTable} from "../table.js";
import * as units from "../units.js";
import {missing, num, picker, rowsOf, tab} from "./common.js";
import {append, el, freshId} from "./element.js";

/**
 * @typedef {import("./common.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").AnswerTable} AnswerTable
 */

const HISTORY_KEY = "gpuwhy queries";
const HISTORY_MOST = 30;
const ROWS_MOST = 10000;
const BARS_SHOWN = 60;
const readyMade = ["kernels", "copies", "api", "ranges", "gpu_ops"];

const examples = [
  ["Kernels by total time", "SELECT name, count(*) AS count, sum(duration_ns) AS total_ns\nFROM kernels GROUP BY name ORDER BY total_ns DESC LIMIT 20"],
  ["Ranges by the GPU time they launch", "SELECT range, count(*) AS count, sum(duration_ns) AS gpu_ns, median(queue_ns) AS queued_ns\nFROM kernels GROUP BY range ORDER BY gpu_ns DESC"],
  ["Copies from or to pageable memory", "SELECT nvtx_path, count(*) AS count, sum(bytes) AS bytes\nFROM copies WHERE src_kind = 'Pageable' OR dst_kind = 'Pageable'\nGROUP BY nvtx_path ORDER BY bytes DESC"],
  ["What ran during the longest wait", "SELECT g.name, g.start_ns, g.duration_ns\nFROM (SELECT * FROM api WHERE name LIKE '%Synchronize%' ORDER BY duration_ns DESC LIMIT 1) w\nJOIN gpu_ops g ON g.start_ns < w.end_ns AND g.end_ns > w.start_ns ORDER BY g.start_ns"],
  ["The longest launch of each kernel", "SELECT name, max(duration_ns) AS longest_ns, start_ns, end_ns, stream, grid_x, block_x\nFROM kernels GROUP BY name ORDER BY longest_ns DESC"],
  ["Launches over time", "SELECT start_ns / 10000000 * 10000000 AS start_ns, count(*) AS count, sum(duration_ns) AS busy_ns\nFROM kernels GROUP BY 1 ORDER BY 1"],
];

/** What stands in the box when the tab is opened again. */
let draft = examples[0][1];

/** @returns {string[]} the latest first */
function readHistory() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(HISTORY_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter(sql => typeof sql === "string") : [];
  } catch {
    return [];
  }
}

/** @param {string} sql */
function remember(sql) {
  try {
    sessionStorage.setItem(HISTORY_KEY, JSON.stringify([sql, ...readHistory().filter(old => old !== sql)].slice(0, HISTORY_MOST)));
  } catch {
    /* A page may be without storage; the queries are not kept then. */
  }
}

/**
 * @param {AnswerTable} result
 * @param {HTMLElement} place
 */
function chart(result, place) {
  const numeric = result.columns.filter(c => result.rows.some(r => typeof r[c.key] === "number"));
  const others = numeric.filter(c => c.key !== result.columns[0].key);
  const state = {kind: "bars", x: result.columns[0].key,
                 y: (others.find(c => !["id", "count"].includes(c.unit ?? "")) ?? others[0] ?? numeric[0]).key};
  const field = el("div");
  const text = (/** @type {string} */ key, /** @type {unknown} */ value) =>
    units.cell(value, result.columns.find(c => c.key === key)?.unit);

  function draw() {
    const {x, y, kind} = state;
    const rows = result.rows.filter(r => typeof r[y] === "number");

    field.replaceChildren();
    if (kind === "line") {
      const points = rows.map((r, i) => ({x: typeof r[x] === "number" ? num(r[x]) : i, y: num(r[y])})).sort((a, b) => a.x - b.x);
      lineChart(field, {name: `${units.title(y)} by ${units.title(x)}`, series: [{name: y, className: "gc-stroke-0"}],
        points: [points.map((p, i) => ({from: p.x, to: points[i + 1]?.x ?? p.x, y: p.y}))],
        xFormat: v => text(x, v), yFormat: v => text(y, v)});
      return;
    }
    const shown = rows.slice(0, BARS_SHOWN);
    stackedBars(field, {name: `${units.title(y)} by ${units.title(x)}`, series: [{name: y, className: "gc-0"}], format: v => text(y, v),
      parts: shown.map(r => [Math.max(0, num(r[y]))]), text: i => `${text(x, shown[i][x])}: ${text(y, shown[i][y])}`});
    if (rows.length > shown.length)
      append(field, el("p", {className: "gt-note"}, `Bars of the first ${BARS_SHOWN} of ${units.count(rows.length)} rows.`));
  }
  append(place, el("div", {className: "gw-tools"},
    picker("Chart", [{value: "bars", text: "bars"}, {value: "line", text: "line"}], state.kind, value => {
      state.kind = value;
      draw();
    }),
    picker("of", numeric.map(c => ({value: c.key, text: units.title(c.key)})), state.y, value => {
      state.y = value;
      draw();
    }),
    picker("by", result.columns.map(c => ({value: c.key, text: units.title(c.key)})), state.x, value => {
      state.x = value;
      draw();
    })), field);
  draw();
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function result(view, answer, place) {
  const found = answer.tables[0];
  const hasTimes = found?.columns.some(c => c.key === "start_ns");

  if (!found) {
    answerLines(place, answer);
    append(place, el("p", {className: "gw-quiet"}, "No rows."));
    return;
  }
  answerTable(place, answer, found.name, {name: "Result", onOpen: hasTimes ? row => {
    const start = num(row.start_ns);
    view.frame(start, num(row.end_ns) || start + (num(row.duration_ns) || 1e6), {track: view.streamTrack(row.device, row.stream, row.pid)});
  } : undefined});
  if (hasTimes)
    append(place, el("p", {className: "gw-quiet"}, "Enter, or a click, shows a row in the timeline."));
  if (found.rows.length > 1 && found.columns.length > 1 && found.rows.some(r => found.columns.some(c => typeof r[c.key] === "number")))
    append(place, el("details", {className: "gq-chart", ontoggle: (/** @type {Event} */ event) => {
      const details = /** @type {HTMLDetailsElement} */ (event.target);
      if (details.open && details.children.length === 1)
        chart(found, details.appendChild(el("div")));
    }}, el("summary", null, "Chart")));
}

/**
 * @param {string} name
 * @param {string} about
 * @param {{name: string, about: string}[]} columns
 * @param {(text: string) => void} insert
 */
function schemaTable(name, about, columns, insert) {
  return el("details", {className: "gq-table"}, el("summary", null, el("code", null, units.shown(name)), " ",
    el("span", {className: "gw-quiet"}, units.shown(about))),
    el("ul", null, ...columns.map(c => el("li", null,
      el("button", {type: "button", className: "gq-column", onclick: () => insert(c.name)}, units.shown(c.name)),
      el("span", {className: "gw-quiet"}, ` ${units.shown(c.about)}`)))));
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 * @param {(text: string) => void} insert
 */
function schema(view, place, insert) {
  append(place, el("h3", null, "Ready-made tables"));
  for (const name of readyMade) {
    const holder = el("div");
    append(place, holder);
    view.query(`PRAGMA table_info(${name})`).then(answer => holder.replaceChildren(schemaTable(name, "",
      rowsOf(answer, "query").map(r => ({name: String(r.name), about: String(r.type ?? "")})), insert)),
    error => view.signal.aborted || holder.replaceChildren(el("p", {className: "gw-quiet"}, el("code", null, name), ": ", units.shown(String(error?.message ?? "")))));
  }
  append(place, el("h3", null, "Tables of the export"));
  void view.part(place, "tables", view.ask("schema"), (answer, part) => {
    const columns = rowsOf(answer, "columns");
    for (const t of rowsOf(answer, "tables"))
      append(part, schemaTable(String(t.table), `${units.cell(t.rows, "count")} rows`,
        columns.filter(c => c.table === t.table).map(c => ({name: String(c.column),
          about: `${c.type ?? ""}${c.references ? ` → ${c.references}` : ""}${c.comment ? `; ${c.comment}` : ""}`})), insert));
  });
}

/** @param {View} view */
function draw(view) {
  const id = freshId("gq");
  const box = el("textarea", {id, className: "gq-sql", rows: 6, spellcheck: false, value: draft, autocapitalize: "off"});
  const past = el("div", {className: "gq-past"});
  const place = el("div", {className: "gq-result"});
  const stop = el("button", {type: "button", className: "gt-button", disabled: true}, "stop");
  /** @type {AbortController | null} */
  let running = null;

  async function run() {
    const sql = box.value.trim();
    const ending = new AbortController();

    if (!sql)
      return;
    running?.abort();
    running = ending;
    view.signal.addEventListener("abort", () => ending.abort(), {once: true});
    stop.disabled = false;
    place.replaceChildren(el("p", {className: "gw-quiet"}, "Running …"));
    remember(sql);
    drawPast();
    try {
      const answer = await view.app.post("/query", {sql, capture: view.capture, limit: ROWS_MOST, timeout_s: 20}, ending.signal);
      place.replaceChildren();
      result(view, answer, place);
    } catch (error) {
      if (view.signal.aborted || running !== ending)
        return;
      place.replaceChildren();
      missing(place, ending.signal.aborted ? {message: "Stopped."} : /** @type {import("./common.js").Failure} */ (error));
    }
    stop.disabled = true;
  }
  /** @param {string} text */
  function insert(text) {
    box.setRangeText(/^\w+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`, box.selectionStart, box.selectionEnd, "end");
    draft = box.value;
    box.focus();
  }
  /** @param {string} sql */
  function set(sql) {
    box.value = draft = sql;
    box.focus();
  }
  function drawPast() {
    const queries = readHistory();
    past.replaceChildren(...[queries.length ? picker("Earlier", [{value: "", text: "…"}, ...queries.map((sql, i) => ({value: String(i), text: sql.replace(/\s+/g, " ").slice(0, 80)}))],
      "", value => value && set(queries[Number(value)])) : ""]);
  }

  box.addEventListener("input", () => { draft = box.value; });
  box.addEventListener("keydown", event => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void run();
    }
  });
  stop.addEventListener("click", () => running?.abort());
  drawPast();
  const side = el("div", {className: "gq-side"});
  append(view.body, el("div", {className: "gq"}, el("div", {className: "gq-main"},
    el("label", {for: id}, "SQL, read-only; Ctrl+Enter runs it"), box,
    el("div", {className: "gw-tools"}, el("button", {type: "button", className: "gt-button gt-primary", onclick: () => void run()}, "run"), stop,
      picker("Examples", [{value: "", text: "…"}, ...examples.map(([text], i) => ({value: String(i), text}))], "",
        value => value && set(examples[Number(value)][1])), past), place), side));
  schema(view, side, insert);
}

export const query = tab({id: "query", title: "Query", draw});
