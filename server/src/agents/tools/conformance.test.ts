// The protocol's own conformance suite against the door, in both generations: everything that a revision requires, but for what is named here with its
// reason. Behind the door is a server that offers what the suite asks for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolStage, type ToolStage } from '../../testing/agents/tool-stage.ts';
import type { McpServerOfTest, OfferedTool } from '../../testing/servers/mcp-server.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

// A picture of one point, and a sound of no length.
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const plain = (words: string) => ({ type: 'text' as const, text: words });
const picture = { type: 'image' as const, data: png, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const tool = (name: string, call: OfferedTool['call']): OfferedTool => ({
  name,
  description: `Answers as the suite expects of ${name}`,
  inputSchema: { type: 'object', properties: {} },
  call,
});

const tools = [
  tool('test_simple_text', () => ({ content: [plain('This is a simple text response for testing.')] })),
  tool('test_image_content', () => ({ content: [picture] })),
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', () => ({ content: [resource('test://embedded-resource', 'text/plain', 'Inside.')] })),
  tool('test_multiple_content_types', () => ({
    content: [plain('Several:'), picture, resource('test://mixed-content-resource', 'application/json', '{"test":1}')],
  })),
  tool('test_error_handling', () => ({ isError: true, content: [plain('This tool fails for the test.')] })),
  tool('test_tool_with_progress', async (_, progress) => {
    for (const done of [0, 50, 100]) {
      await progress(done);
      await delay(50);
    }
    return { content: [plain('Done.')] };
  }),
];

const asks_nobody = 'the door asks its client nothing: a person is asked by the inbox of the service';
const not_offered = 'the door does not offer it; a client reads that in the capabilities';
/** By revision. One that passes must not stay here: the suite says so. */
const exceptions: Record<string, Record<string, string>> = {
  '2025-11-25': {
    'server-sse-multiple-streams': 'it needs a session, and the door has none: each request is complete in itself',
    'logging-set-level': not_offered,
    'tools-call-with-logging': not_offered,
    'completion-complete': not_offered,
    'resources-subscribe': not_offered,
    'resources-unsubscribe': not_offered,
    'tools-call-sampling': asks_nobody,
    'tools-call-elicitation': asks_nobody,
    'elicitation-sep1034-defaults': asks_nobody,
    'elicitation-sep1330-enums': asks_nobody,
  },
  '2026-07-28': {
    'server-stateless': 'two of its checks need a tool that asks its client',
    'completion-complete': not_offered,
    'input-required-result-basic-elicitation': asks_nobody,
    'input-required-result-basic-sampling': asks_nobody,
    'input-required-result-basic-list-roots': asks_nobody,
    'input-required-result-request-state': asks_nobody,
    'input-required-result-multiple-input-requests': asks_nobody,
    'input-required-result-multi-round': asks_nobody,
    'input-required-result-non-tool-request': asks_nobody,
    'input-required-result-result-type': asks_nobody,
    'input-required-result-tampered-state': asks_nobody,
    'input-required-result-capability-check': asks_nobody,
    'input-required-result-missing-input-response': asks_nobody,
    'input-required-result-validate-input': asks_nobody,
  },
};
/** Of both. */
const always: Record<string, string> = {
  'dns-rebinding-protection':
    'its check is of servers that answer without a credential, and the door answers nobody without one',
};

async function offerContext(_: unknown, upstream: McpServerOfTest): Promise<void> {
  const argument = (name: string) => ({ name, required: true });
  const embedded = resource('test://embedded-resource', 'text/plain', 'Inside.');
  upstream.prompts = [
    { name: 'test_simple_prompt', description: 'For the suite', text: 'A prompt.' },
    {
      name: 'test_prompt_with_arguments',
      description: 'For the suite',
      arguments: [argument('arg1'), argument('arg2')],
      text: 'With',
    },
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'For the suite',
      arguments: [argument('resourceUri')],
      text: 'See',
      more: embedded,
    },
    { name: 'test_prompt_with_image', description: 'For the suite', text: 'See', more: picture },
  ];
  upstream.resources = [
    { uri: 'test://static-text', name: 'text', mimeType: 'text/plain', text: 'A text.' },
    { uri: 'test://static-binary', name: 'picture', mimeType: 'image/png', text: '', blob: png },
    { uri: 'test://template/123/data', name: 'of a template', mimeType: 'application/json', text: '{"id":"123"}' },
  ];
  await Promise.resolve();
}

let stage: ToolStage;
let signed: Server;
let folder: string;
beforeAll(async () => {
  stage = await toolStage({ tools, yaml: '    resources: true\n', prepare: offerContext });
  await stage.begin();
  signed = await signedBy(stage);
  folder = await mkdtemp(join(tmpdir(), 'gantry-conformance-'));
});
afterAll(async () => {
  signed?.closeAllConnections();
  signed?.close();
  await stage?.end();
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(['2025-11-25', '2026-07-28'])('the door conforms to %s', { timeout: 180_000 }, async (revision) => {
  const baseline = join(folder, `${revision}.yml`);
  const known = Object.keys({ ...exceptions[revision], ...always });
  await writeFile(baseline, JSON.stringify({ server: known })); // JSON is YAML
  const { port } = signed.address() as AddressInfo; // it listens on TCP
  const ran = spawn(
    process.execPath,
    [
      program,
      'server',
      '--url',
      `http://127.0.0.1:${port}/mcp/city`,
      '--requirements',
      revision,
      '-o',
      folder,
      '--expected-failures',
      baseline,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const said = Promise.all([text(ran.stdout), text(ran.stderr)]);
  const [code] = await once(ran, 'exit');
  const summary = (await said).join('').replace(/^[^]*=== SUMMARY ===/, '');
  expect(code, summary).toBe(0);
});

/** The suite knows no credential of ours, so this passes its requests on with those of the agent and of its open run. */
async function signedBy({ door, key, tokenOf, run_id, ada_id }: ToolStage): Promise<Server> {
  const headers = { authorization: `Bearer ${key}`, 'x-svc-run': tokenOf({ id: run_id, caller_id: ada_id }) };
  const server = createServer((incoming, outgoing) => {
    const passed = request(
      new URL(incoming.url ?? '/', door),
      { method: incoming.method ?? 'GET', headers: { ...incoming.headers, ...headers } },
      (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)),
    );
    passed.once('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}
