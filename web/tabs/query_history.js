/* Which queries were run in this window of the browser, and which are worth a try? */

const HISTORY_KEY = 'gpuwhy queries';
const HISTORY_MOST = 30;

/** @returns {string[]} the latest first */
export function readHistory()
{
	try {
		const stored = JSON.parse(sessionStorage.getItem(HISTORY_KEY) ?? '[]');
		return Array.isArray(stored) ? stored.filter((sql) => typeof sql === 'string') : [];
	} catch {
		return [];
	}
}

/** @param {string} sql */
export function remember(sql)
{
	try {
		sessionStorage.setItem(
			HISTORY_KEY,
			JSON.stringify([sql, ...readHistory().filter((old) => old !== sql)].slice(0, HISTORY_MOST))
		);
	} catch {
		/* A page may be without storage; the queries are not kept then. */
	}
}

export const examples = [
	[
		'Kernels by total time',
		'SELECT name, count(*) AS count, sum(duration_ns) AS total_ns\nFROM kernels GROUP BY name ORDER BY total_ns DESC LIMIT 20',
	],
	[
		'Ranges by the GPU time they launch',
		'SELECT range, count(*) AS count, sum(duration_ns) AS gpu_ns, median(queue_ns) AS queued_ns\nFROM kernels GROUP BY range ORDER BY gpu_ns DESC',
	],
	[
		'Copies from or to pageable memory',
		"SELECT nvtx_path, count(*) AS count, sum(bytes) AS bytes\nFROM copies WHERE src_kind = 'Pageable' OR dst_kind = 'Pageable'\nGROUP BY nvtx_path ORDER BY bytes DESC",
	],
	[
		'What ran during the longest wait',
		"SELECT g.name, g.start_ns, g.duration_ns\nFROM (SELECT * FROM api WHERE name LIKE '%Synchronize%' ORDER BY duration_ns DESC LIMIT 1) w\nJOIN gpu_ops g ON g.start_ns < w.end_ns AND g.end_ns > w.start_ns ORDER BY g.start_ns",
	],
	[
		'The longest launch of each kernel',
		'SELECT name, max(duration_ns) AS longest_ns, start_ns, end_ns, stream, grid_x, block_x\nFROM kernels GROUP BY name ORDER BY longest_ns DESC',
	],
	[
		'Launches over time',
		'SELECT start_ns / 10000000 * 10000000 AS start_ns, count(*) AS count, sum(duration_ns) AS busy_ns\nFROM kernels GROUP BY 1 ORDER BY 1',
	],
];
