/*
 * How does a number read to a person? With the digits and units of the program's own text.
 */

/** Letters of a name that a page shows: templates have thousands. */
const MAX_SHOWN = 300;

/**
 * The double rounded once, an exact tie away from zero, which is what toFixed promises.
 * @param {number} x
 * @param {number} decimals
 */
function fixed(x, decimals)
{
	const text = Math.abs(x).toFixed(decimals);
	return x < 0 && /[1-9]/.test(text) ? '-' + text : text;
}

/** @param {string} digits */
function grouped(digits)
{
	return digits.replace(/^(-?)(\d+)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** @param {number} size at least 0; three significant digits */
function threeDigits(size)
{
	if (size >= 999.5)
		return count(Math.floor(size + 0.5));
	return fixed(size, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/**
 * In the largest unit that leaves at least 1 of it after rounding.
 * @param {number} x
 * @param {string[]} units
 */
function scaled(x, units)
{
	let size = Math.abs(x);
	let i = 0;

	if (!Number.isFinite(x))
		return '-';
	while (i + 1 < units.length && size >= 999.5) {
		size /= 1000;
		i++;
	}
	const digits = i === 0 && Number.isInteger(size) ? String(size) : threeDigits(size);
	return (x < 0 ? '-' : '') + digits + ' ' + units[i];
}

/** @param {number} n a whole number: 1,234,567 */
export function count(n)
{
	return grouped(fixed(n, 0));
}

/** @param {number} x all its digits: 1,234,567.25 */
export function exact(x)
{
	return grouped(String(x));
}

/** @param {number} n a duration: 1.23 µs */
export function ns(n)
{
	return scaled(n, ['ns', 'µs', 'ms', 's']);
}

/** @param {number} n 262 MB */
export function bytes(n)
{
	return scaled(n, ['B', 'kB', 'MB', 'GB', 'TB', 'PB']);
}

/** @param {number} x 12.5%, of a hundred */
export function percent(x)
{
	return fixed(x, 1) + '%';
}

/** @param {number} n a moment on the capture's clock: 14.217932 s */
export function time(n)
{
	const us = Math.floor((Math.abs(n) + 500) / 1000);
	const seconds = Math.floor(us / 1e6) + '.' + String(us % 1e6).padStart(6, '0');
	return (n < 0 && us ? '-' : '') + seconds + ' s';
}

/** @param {number} n */
function flops(n)
{
	return scaled(n, [
		'FLOP',
		'kFLOP',
		'MFLOP',
		'GFLOP',
		'TFLOP',
		'PFLOP',
		'EFLOP',
		'ZFLOP',
		'YFLOP',
		'RFLOP',
		'QFLOP',
	]);
}

/** @param {string} text */
function perSecond(text)
{
	return text === '-' ? text : text + '/s';
}

/** @param {number} x enough digits to tell values apart: 1,670.5, 3.25, 0.125, 0.000125 */
function ratio(x)
{
	const size = Math.abs(x);
	const decimals = size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.01 || size === 0 ? 3 : 6;
	return grouped(fixed(x, Number.isInteger(x) ? 0 : decimals));
}

/** @param {string} letter */
function escaped(letter)
{
	const lettered = '\n\t\r'.indexOf(letter);
	const code = letter.codePointAt(0) ?? 0;

	if (lettered >= 0)
		return '\\' + 'ntr'[lettered];
	return code >= 0x100 ? '\\u' + code.toString(16).padStart(4, '0') : '\\x' + code.toString(16).padStart(2, '0');
}

/**
 * Text from a trace, in which nothing acts: characters that control, and those that turn the
 * direction of writing, are spelled out.
 * @param {string} text
 */
export function safe(text)
{
	return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, escaped);
}

/**
 * Safe text of a length that a page can hold; a name may have 64 KB.
 * @param {string} text
 */
export function shown(text)
{
	return text.length > MAX_SHOWN ? safe(text.slice(0, MAX_SHOWN)) + '…' : safe(text);
}

/** What the program calls kernels for people. @type {Map<string, string>} */
const shortNames = new Map();

/** @param {Record<string, string> | undefined} names of an answer */
export function learnShortNames(names)
{
	for (const [whole, brief] of Object.entries(names ?? {}))
		shortNames.set(whole, brief);
}

/**
 * A kernel as people speak of it, where an answer has told it.
 * @param {string} name
 */
export function kernel(name)
{
	return shown(shortNames.get(name) ?? name);
}

/** @type {Record<string, (x: number) => string>} */
const numbers = {
	ns,
	bytes,
	percent,
	count: ratio,
	ratio,
	flops,
	us: (x) => ns(Math.round(x * 1e3)),
	time_ns: time,
	bytes_per_s: (x) => perSecond(bytes(x)),
	flops_per_s: (x) => perSecond(flops(x)),
	id: String,
	name: String,
	kernel: String,
	command: String,
	bool: (x) => (x ? 'yes' : 'no'),
};

/**
 * What one cell of an answer says.
 * @param {unknown} value
 * @param {string} [unit] as the answer's columns and evidence have it
 */
export function cell(value, unit = 'name')
{
	if (value === true || value === false)
		return value ? 'yes' : 'no';
	if (typeof value === 'number' && Number.isFinite(value))
		return (numbers[unit] ?? ratio)(value);
	if (typeof value === 'string')
		return unit === 'kernel' ? kernel(value) : shown(value);
	return '-';
}

/** @type {Record<string, string>} */
const words = {
	gpu: 'GPU',
	cpu: 'CPU',
	pid: 'PID',
	tid: 'TID',
	nvtx: 'NVTX',
	sms: 'SMs',
	sm: 'SM',
	dram: 'DRAM',
	pcie: 'PCIe',
	nvlink: 'NVLink',
	cuda: 'CUDA',
	nccl: 'NCCL',
	mfu: 'MFU',
	hfu: 'HFU',
	pp: 'PP',
	tp: 'TP',
	dp: 'DP',
	ep: 'EP',
	cp: 'CP',
	gpus: 'GPUs',
	api: 'API',
	avg: 'mean',
	comm: 'communication',
	iteration: 'step',
	id: 'number',
	sql: 'SQL',
	os: 'OS',
	pct: '%',
};

/** @type {Record<string, string>} */
const titles = {
	pct: 'Share',
	share_pct: 'Share',
	share_percent: 'Share',
	bytes_per_s: 'Throughput',
	pct_of_idle: '% of idle',
	pct_of_window: '% of window',
	stddev_ns: 'Std. deviation',
	gpu_ns: 'GPU time',
	kernel_ns: 'Kernel time',
	cpu_ns: 'CPU time',
	host_ns: 'Host time',
	wall_ns: 'Wall time',
};

/**
 * What stands over a column that the answer names by its key alone.
 * @param {string} key
 */
export function title(key)
{
	if (Object.hasOwn(titles, key))
		return titles[key];
	const text = key
		.replace(/_(ns|us|bytes|flops)$/, '')
		.split('_')
		.map((word) => (Object.hasOwn(words, word) ? words[word] : word))
		.join(' ');
	return /^p\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Units whose values stand right-aligned.
 * @param {string} [unit]
 */
export function isNumber(unit = 'name')
{
	return !['name', 'kernel', 'command', 'bool'].includes(unit);
}
