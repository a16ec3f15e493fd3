/* The modules of the page: their types hold, each keeps to its room, none imports itself by way of others, and they link to one script. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { Suite } from './lib/suite.mjs';

const HERE = dirname(fileURLToPath(import.meta.url)), ROOT = join(HERE, '../../..'), WEB = join(ROOT, 'web');
const suite = new Suite('web/types', process.argv.slice(2));

/** @returns {string[]} paths of all modules */
const modules = () => readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.js')).map((f) => join(WEB, f));

/** @param {string} path @returns {string[]} paths that it imports when it is run; what comments import are types */
const imports = (path) => Array.from(readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^;]*?\bfrom\s+['"]([^'"]+)['"];/gm), (m) => join(dirname(path), m[1]));

await suite.case('types', () => {
	const told = spawnSync(join(HERE, 'node_modules/.bin/tsc'), ['--project', join(HERE, 'tsconfig.json')], { encoding: 'utf8' });

	assert.equal(told.status, 0, told.stdout + told.stderr);
});

await suite.case('no module imports itself by way of others', () => {
	/** @type {Map<string, 'open' | 'done'>} */
	const state = new Map();
	/** @param {string} path @param {string[]} way */
	const visit = (path, way) => {
		if (state.get(path) === 'done')
			return;
		assert.notEqual(state.get(path), 'open', [...way, path].map((p) => relative(WEB, p)).join(' > '));
		state.set(path, 'open');
		for (const next of imports(path))
			visit(next, [...way, path]);
		state.set(path, 'done');
	};

	for (const path of modules())
		visit(path, []);
	const used = new Set(modules().flatMap(imports));
	assert.deepEqual(modules().filter((p) => !used.has(p)).map((p) => relative(WEB, p)), ['main.js'], 'modules that nothing imports');
});

await suite.case('rooms: a module imports from its own, and from those that come before it', () => {
	/* As ARCHITECTURE.md lists them. */
	const rooms = ['base', 'sources', 'tables', 'drawing', 'timeline', 'app', 'commands', 'panes', 'tabs', 'frame', '.'];
	const roomOf = (/** @type {string} */ path) => dirname(relative(WEB, path));

	for (const path of modules()) {
		const own = rooms.indexOf(roomOf(path));

		assert.ok(own >= 0, `${relative(WEB, path)} is in no room`);
		for (const other of imports(path))
			assert.ok(rooms.indexOf(roomOf(other)) <= own, `${relative(WEB, path)} imports ${relative(WEB, other)}`);
	}
});

await suite.case('they link to one script', () => {
	const script = execFileSync(join(ROOT, 'tools/link-modules'), ['web/main.js'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 });

	new vm.Script(script);
	assert.doesNotMatch(script, /^(import|export)\b/m);
	assert.doesNotMatch(script, /<\/script|<!--/i, 'a script within a page ends there');
	for (const path of modules())
		assert.ok(script.includes(`const module_${relative(ROOT, path).replace(/\W/g, '_')} = `), `${path} is not in it`);
});

suite.finish();
