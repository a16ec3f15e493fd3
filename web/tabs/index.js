/* Which tabs are there beside the timeline, in their order? */
import { communication } from './communication.js';
import { findings } from './findings.js';
import { kernels } from './kernels.js';
import { memory } from './memory.js';
import { query } from './query.js';
import { ranges } from './ranges.js';
import { report } from './report.js';
import { source } from './source.js';
import { steps } from './steps.js';

/** @type {import("./common.js").Tab[]} */
export const tabs = [findings, kernels, ranges, steps, communication, memory, source, query, report];
