/* The official clients: both generations of the SDK, and the inspector's command line, list and call every tool over both transports. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Suite } from '../../web/browser/lib/suite.mjs';

const [program, root, ...only] = process.argv.slice(2);
const suite = new Suite('mcp/clients', only);
const HERE = dirname(fileURLToPath(import.meta.url));
const INSPECTOR = join(HERE, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const INFO = { name: 'gpuwhy-tests', version: '1' };
const trace = 'train.sqlite';
/* Never done, unless somebody gives it up. */
const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
const CALLS = {
	trace_info: { trace },
	analyze: { trace },
	ask: { trace, question: 'which kernel takes the most time?' },
	skill_list: { query: 'idle' },
	skill_run: { trace, skill: 'kernels', params: { limit: 2 } },
	query: { trace, sql: 'SELECT count(*) AS count FROM kernels' },
	timeline: { trace, longest: 1 },
	diff: { trace: 'after.sqlite', before: 'before.sqlite' },
	evidence_get: { trace, id: 'gpu_bound' },
};

/** Begins `gpuwhy mcp --http`: where it is, and what to say there. */
async function serve()
{
	const child = spawn(program, ['mcp', '--http', '--root', root], { stdio: ['ignore', 'pipe', 'ignore'] });
	let text = '';

	for await (const piece of child.stdout) {
		text += piece;
		if (text.split('\n').length > 2)
			break;
	}
	const [url, header] = text.split('\n');

	return { child, url: new URL(url), headers: { Authorization: header.replace('Authorization: ', '') } };
}

/** The client validates each answer against the tool's output schema. */
async function use(client)
{
	const { tools } = await client.listTools();

	assert.ok(tools.length >= 7);
	for (const { name } of tools) {
		const result = await client.callTool({ name, arguments: CALLS[name] });

		assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
		assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
	}
	const wrong = await client.callTool({ name: 'query', arguments: { trace: '/etc/passwd', sql: 'SELECT 1' } });

	assert.ok(wrong.isError);
	assert.ok((await client.listResources()).resources.length >= 3);
	assert.ok((await client.listResourceTemplates()).resourceTemplates.length);
	assert.ok((await client.readResource({ uri: 'gpuwhy://skills' })).contents[0].text.includes('kernels'));
	assert.equal((await client.listPrompts()).prompts[0].name, 'diagnose');
	assert.ok((await client.getPrompt({ name: 'diagnose', arguments: { trace } })).messages[0].content.text.includes(trace));
}

/** A call that takes a while tells how far it is; one that is given up ends, and the next is answered at once. */
async function wait(client)
{
	const call = (sql, options) => client.callTool({ name: 'query', arguments: { trace, sql, timeout_s: 40 } }, ...options);
	const plain = client instanceof OldClient ? [undefined] : [];
	const told = [];
	const giveUp = new AbortController();
	const slow = call(ENDLESS, [...plain, {
		signal: giveUp.signal,
		onprogress: ({ progress }) => told.push(progress) === 2 && giveUp.abort('enough'),
	}]);

	await assert.rejects(slow);
	assert.ok(told.length >= 2 && told[0] < told[1], `progress: ${told}`);
	const began = Date.now();
	const next = await call('SELECT 7 AS n', plain);

	assert.equal(next.structuredContent.tables[0].rows[0].n, 7);
	assert.ok(Date.now() - began < 5000, 'the next waits for it');
}

const http = await serve();
const stdio = { command: program, args: ['mcp', '--root', root] };
const ways = {
	'sdk 1': { make: () => new OldClient(INFO), stdio: () => new OldStdio(stdio), http: () => new OldHttp(http.url, { requestInit: { headers: http.headers } }) },
};

for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
	const options = revision > '2026' ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };

	ways[`client 2, ${revision}`] = {
		make: () => new Client(INFO, options), revision,
		stdio: () => new StdioClientTransport(stdio),
		http: () => new StreamableHTTPClientTransport(http.url, { requestInit: { headers: http.headers } }),
	};
}
for (const [name, way] of Object.entries(ways)) {
	for (const transport of ['stdio', 'http']) {
		await suite.case(`${name}, ${transport}`, async () => {
			const client = way.make();

			await client.connect(way[transport]());
			if (way.revision)
				assert.equal(client.getNegotiatedProtocolVersion(), way.revision);
			await use(client);
			/* More than there are calls at once: what is given up must not keep its place. */
			await Promise.all(Array.from({ length: transport === 'http' ? 5 : 1 }, () => wait(client)));
			await client.close();
		});
	}
}

/** @param {string[]} server how it is reached @param {string[]} words what is asked */
async function inspect(server, words)
{
	const told = await promisify(execFile)(process.execPath, [INSPECTOR, '--cli', ...server, ...words]);

	return JSON.parse(told.stdout);
}

/** Arguments of a tool as the inspector takes them. */
function toWords(args)
{
	return Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
}

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 19)) {
	const servers = {
		stdio: [program, 'mcp', '--root', root],
		http: [http.url.href, '--transport', 'http', '--header', `Authorization: ${http.headers.Authorization}`],
	};

	for (const [transport, server] of Object.entries(servers)) {
		await suite.case(`inspector, ${transport}`, async () => {
			const { tools } = await inspect(server, ['--method', 'tools/list']);

			assert.ok(tools.length >= 7);
			const call = async ({ name }) => {
				const told = await inspect(server, ['--method', 'tools/call', '--tool-name', name, ...toWords(CALLS[name])]);

				assert.ok(!told.isError && told.structuredContent, `${name}: ${JSON.stringify(told).slice(0, 300)}`);
			};

			while (tools.length)
				await Promise.all(tools.splice(0, 3).map(call));
		});
	}
} else {
	suite.skip('inspector', `it needs Node 22.19 or later, not ${process.version}`);
}
http.child.kill();
suite.finish();
