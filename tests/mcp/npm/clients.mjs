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
			const words = ['--method', 'tools/call', '--tool-name', 'query', '--tool-arg', `trace=${trace}`, '--tool-arg', 'sql=SELECT 7 AS n'];

			assert.equal((await inspect(server, words)).structuredContent.tables[0].rows[0].n, 7);
		});
	}
} else {
	suite.skip('inspector', `it needs Node 22.19 or later, not ${process.version}`);
}
http.child.kill();
suite.finish();
