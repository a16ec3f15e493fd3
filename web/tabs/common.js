/** What have all tabs in common: what they are about, loading, and what is said where a trace has no answer. */
import {answerLines} from "../table.js";
import * as units from "../units.js";
import {append, copyText, el, freshId} from "./element.js";

/**
 * @typedef {{name: string | null, path: string, rank: number | null, start: number, end: number, tool?: string, schema?: string}} Capture
 * @typedef {{name: string, title: string, summary: string}} Analysis
 * @typedef {{captures: Capture[], analyses: Analysis[], is_file?: boolean}} Session
 * @typedef {{start_ns: number, end_ns: number, text?: string, span?: string}} AnswerWindow
 * @typedef {import("../table.js").AnswerTable} AnswerTable
 * @typedef {import("../table.js").Row} Row
 * @typedef {{number: number, kind: string, capture: number, device: number | null, stream: number | null, pid: number | null}} Track
 * @typedef {Record<string, unknown> & {tables: AnswerTable[], findings: any[], notes: string[], warnings: string[],
 *   window: AnswerWindow | null, trees?: any[], verdict?: string, verdict_text?: string, workload?: {text: string}}} Answer
 * @typedef {Record<string, string | number | boolean>} Params
 * @typedef {{window: [number, number], track?: number, capture?: number,
 *   select?: {start: number, end: number}, finding?: number}} Place
 * @typedef {object} App
 * @property {Session} session
 * @property {(name: string, params?: Params, signal?: AbortSignal) => Promise<Answer>} api
 * @property {(path: string, body: unknown, signal?: AbortSignal) => Promise<Answer>} post
 * @property {(path: string, signal?: AbortSignal) => Promise<string>} text
 * @property {() => Track[]} tracks
 * @property {(place: Place) => void} go
 * @property {() => [number, number] | null} window
 * @property {() => number} capture
 * @property {(n: number) => void} setCapture
 * @property {(ns: number, capture: number) => number} ownToPage
 * @property {(ns: number, capture: number) => number} pageToOwn
 * @property {(text: string) => void} say
 * @property {(fn: () => void) => (() => void) | void} onChange
 * @typedef {{close(): void, refresh(): void}} Opened
 * @typedef {{id: string, title: string, open(element: HTMLElement, app: App): Opened}} Tab
 * @typedef {{code?: unknown, message: string, hint?: string | null}} Failure
 */

/** The window that all tabs are about: "", the program's own choice; "all"; "shown", the timeline's. */
let chosenWindow = "";

/** One drawing of a tab: what it was about, and a signal that ends with it. */
export class View {
  /**
   * @param {App} app
   * @param {HTMLElement} body
   */
  constructor(app, body) {
    this.app = app;
    this.body = body;
    this.capture = app.capture();
    this.ending = new AbortController();
    this.signal = this.ending.signal;
  }

  /** @returns {Params} what limits an analysis to the chosen window */
  windowParams() {
    const shown = this.app.window();

    if (chosenWindow === "all")
      return {span: "all"};
    return chosenWindow === "shown" && shown ? {window: shown.map(Math.round).join(",")} : {};
  }

  /**
   * @param {string} name
   * @param {Params} [params]
   */
  ask(name, params = {}) {
    const {limit, ...others} = params;

    /* A file holds whole answers, and no others. */
    return this.app.api(name, {capture: this.capture, ...(this.app.session.is_file ? others : params)}, this.signal);
  }

  /**
   * @param {string} sql
   * @param {number} [limit]
   */
  query(sql, limit = 1000) {
    return this.app.post("/query", {sql, capture: this.capture, limit, timeout_s: 20}, this.signal);
  }

  /**
   * Shows what comes of a question in a place of its own: a quiet line, then the answer or what is missing.
   * @template T
   * @param {HTMLElement} parent
   * @param {string} what that is being read: "kernels"
   * @param {Promise<T>} question
   * @param {(answer: T, place: HTMLElement) => void} show
   * @returns {Promise<void>}
   */
  async part(parent, what, question, show) {
    const place = el("div", {className: "gw-part", "aria-busy": "true"},
      el("p", {className: "gw-quiet"}, `Reading ${what} …`));

    append(parent, place);
    try {
      const answer = await question;
      if (this.signal.aborted)
        return;
      place.replaceChildren();
      show(answer, place);
    } catch (failure) {
      if (this.signal.aborted)
        return;
      place.replaceChildren();
      missing(place, /** @type {Failure} */ (failure));
    }
    place.removeAttribute("aria-busy");
  }

  /**
   * To the timeline, framed with a little of what lies around it.
   * @param {number} start on the capture's own clock
   * @param {number} end
   * @param {Partial<Place>} [more]
   */
  frame(start, end, more = {}) {
    const capture = more.capture ?? this.capture;
    const [b, e] = [this.app.ownToPage(start, capture), this.app.ownToPage(end, capture)];
    const around = Math.max((e - b) * 0.1, 200);

    this.app.go({window: [b - around, e + around], select: {start: b, end: e}, capture, ...more});
  }

  /**
   * The first row of a kind in the timeline.
   * @param {string} kind
   * @param {{capture?: number, device?: unknown}} [which]
   */
  track(kind, {capture = this.capture, device} = {}) {
    return this.app.tracks().find(t => t.kind === kind && t.capture === capture && (device === undefined || t.device === device))?.number;
  }

  /**
   * The timeline's row of a stream.
   * @param {unknown} device
   * @param {unknown} stream
   * @param {unknown} [pid]
   */
  streamTrack(device, stream, pid) {
    const rows = this.app.tracks().filter(t => t.kind === "stream" && t.capture === this.capture &&
                                               t.device === device && t.stream === stream);
    return (rows.find(t => t.pid === pid) ?? rows[0])?.number;
  }
}

/**
 * What a trace does not have, and how to capture it: a calm sentence or two.
 * @param {HTMLElement} element
 * @param {Failure} failure
 */
export function missing(element, failure) {
  const message = failure?.message || "The program did not answer.";

  append(element, el("div", {className: "gw-missing", role: "note"},
    el("p", null, ...withCode(sentence(message))),
    failure?.hint ? el("p", null, ...withCode(sentence(failure.hint))) : null));
}

/** @param {string} text */
function sentence(text) {
  const safe = units.safe(text.slice(0, 4000));
  const ended = /[.!?…:`]$/.test(safe) ? safe : safe + ".";
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/**
 * Text whose `backquoted` words and --options are code.
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export function withCode(text) {
  return text.split(/(`[^`]+`|(?<![\w-])--[a-z][^\s,;)]*)/).map(part => {
    if (part.startsWith("`") && part.length > 2)
      return el("code", null, part.slice(1, -1));
    return part.startsWith("--") && part.length < 40 ? el("code", {className: "gw-option"}, part) : part;
  });
}

/**
 * A button that copies a text.
 * @param {App} app
 * @param {string} text
 * @param {string} what
 */
export function copyButton(app, text, what) {
  return el("button", {type: "button", className: "gt-button", "aria-label": `Copy ${what}`, onclick: async () =>
    app.say(await copyText(text) ? "Copied." : "The browser does not allow copying.")}, "copy");
}

/**
 * @param {Answer} answer
 * @param {string} name
 * @returns {Row[]}
 */
export function rowsOf(answer, name) {
  return answer.tables.find(t => t.name === name)?.rows ?? [];
}

/** @param {unknown} value */
export function num(value) {
  return typeof value === "number" ? value : 0;
}

/**
 * Which window an answer is about, and its notes.
 * @param {HTMLElement} element
 * @param {Answer} answer
 */
export function aboutWindow(element, answer) {
  const window = answer.window;

  if (window)
    append(element, el("p", {className: "gw-quiet"}, window.text ? `${units.safe(window.text)}: ` : "",
      `${units.ns(window.end_ns - window.start_ns)} from ${units.time(window.start_ns)} to ${units.time(window.end_ns)}`));
  answerLines(element, answer);
}

/**
 * @param {HTMLElement} element
 * @param {string} title
 * @param {string} [what] a line below it
 */
export function section(element, title, what) {
  const id = freshId("gw-section");
  const made = el("section", {className: "gw-section", "aria-labelledby": id},
    el("h3", {id}, title), what ? el("p", {className: "gw-quiet"}, what) : null);

  append(element, made);
  return made;
}

/**
 * @param {string} label
 * @param {{value: string, text: string}[]} options
 * @param {string} value
 * @param {(value: string) => void} onPick
 */
export function picker(label, options, value, onPick) {
  const select = el("select", {className: "gw-select"},
    ...options.map(o => el("option", {value: o.value, selected: o.value === value}, units.shown(o.text))));

  select.addEventListener("change", () => onPick(select.value));
  return el("label", {className: "gw-picker"}, `${label} `, select);
}

/**
 * A line of text that is asked with.
 * @param {string} label
 * @param {string} placeholder
 * @param {string} value
 * @param {(value: string) => void} onSet on Enter, or when it is left changed
 */
export function textField(label, placeholder, value, onSet) {
  const input = el("input", {type: "text", className: "gw-text", value, placeholder, spellcheck: false, autocomplete: "off"});

  input.addEventListener("change", () => onSet(input.value.trim()));
  return el("label", {className: "gw-picker"}, `${label} `, input);
}

/** @param {Capture} capture */
export function captureName(capture) {
  return capture.name ?? capture.path.split("/").pop() ?? capture.path;
}

/**
 * @param {App} app
 * @param {boolean} hasWindow
 * @param {() => void} changed
 */
function scope(app, hasWindow, changed) {
  const {captures} = app.session;
  const pickers = [];

  if (captures.length > 1)
    pickers.push(picker("Capture", captures.map((c, i) => ({value: String(i), text: captureName(c)})),
      String(app.capture()), value => {
        app.setCapture(Number(value));
        changed();
      }));
  if (hasWindow && !app.session.is_file)
    pickers.push(picker("Window", [{value: "", text: "the program's choice"}, {value: "all", text: "whole capture"},
                                   {value: "shown", text: "what the timeline shows"}], chosenWindow, value => {
      chosenWindow = value;
      changed();
    }));
  return pickers;
}

/**
 * A tab that draws itself anew when what it is about changes.
 * @param {{id: string, title: string, hasWindow?: boolean, draw(view: View): void}} options
 * @returns {Tab}
 */
export function tab({id, title, hasWindow = false, draw}) {
  return {id, title, open(element, app) {
    const head = el("div", {className: "gw-head"});
    const body = el("div", {className: "gw-body"});
    let view = new View(app, body);
    let about = "";

    function redraw() {
      view.ending.abort();
      view = new View(app, body);
      about = aboutNow();
      head.replaceChildren(el("h2", null, title), ...scope(app, hasWindow, changed));
      body.replaceChildren();
      draw(view);
    }
    function aboutNow() {
      return `${app.capture()} ${hasWindow && chosenWindow} ${hasWindow && chosenWindow === "shown" && app.window()}`;
    }
    function changed() {
      if (!view.signal.aborted && aboutNow() !== about)
        redraw();
    }
    const forget = app.onChange(changed);
    append(element, el("div", {className: `gw-tab gw-${id}`}, head, body));
    redraw();
    return {refresh: redraw, close() {
      view.ending.abort();
      if (typeof forget === "function")
        forget();
    }};
  }};
}
