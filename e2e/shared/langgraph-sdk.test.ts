// The official SDKs of langgraph against a deployed agent that is written for its platform.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LangGraphAgent } from '@ag-ui/langgraph';
import { Client } from '@langchain/langgraph-sdk';
import { Client as EarlierClient } from 'langgraph-sdk-0';
import { beforeAll, expect, test } from 'vitest';
import type { Installation } from '../installation.ts';
import { runPython } from '../run-python.ts';
import { writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';

const packages = ['langgraph==1.2.24', 'langgraph-sdk==0.4.14', 'langchain-core>=1.4'];
const earlier_packages = ['langgraph-sdk==0.3.15'];

let gantry: Installation;
let url: string;
let token: string;
let key: string;
beforeAll(async () => {
  gantry = await sharedInstallation('sdks');
  await gantry.person('sal');
  await gantry.must('svc team add sdks user:sal@example.com --role viewer');
  const chatter = await readFile(join(import.meta.dirname, '../agents/chatter.py'), 'utf8');
  await writeProject(gantry, 'chatter', { 'agent.py': chatter });
  await gantry.must('svc deploy', { in: 'chatter' });
  url = `${gantry.url}/agents/chatter/langgraph`;
  token = await gantry.token('sal');
  const { stdout } = await gantry.must('svc key create --models agents/chatter --json', { as: 'sal' });
  ({ key } = JSON.parse(stdout) as { key: string });
}, 300_000);

test('the SDK for Python holds a conversation, waits for a person, forks, cancels and remembers', async () => {
  const said = await runPython(packages, 'langgraph_client.py', [url, key, 'chatter']);
  const conversation = ['human: hello', 'ai: you said hello'];
  expect(said).toMatchObject({
    assistant: 'chatter',
    takes: ['messages'],
    texts: conversation,
    pieces: 'you said again',
    nodes: [['think'], ['reply']],
    asked: [{ question: 'sure?' }],
    waiting: ['interrupted', { question: 'sure?' }, ['reply']],
    resumed: 'ai: you said yes',
    stopped: ['human: stop', ['reply'], 'ai: you said stop'],
    forked: [...conversation, 'human: another way', 'ai: you said another way'],
    copied: [...conversation, 'human: another way', 'ai: you said another way'],
    joined: 'ai: you said later',
    rejected: [409, 'thread_busy'],
    runs: ['success', 'interrupted'],
    failed: expect.stringContaining('agent_error') as string,
    remembered: 'ai: Earl Grey',
    found: ['Earl Grey'],
    mine: [true, true],
    gone: 404,
    unanswered: [501, 'not_answered'],
    changed: ['ai: by hand', [], true],
    by_values: [true],
    pruned: [1, 1],
    graph: ['__end__', '__start__', 'reply', 'think'],
    subgraphs: {},
    batch: ['pending'],
    strict: 'ai: you said strictly',
    versions: ['1.0.0'],
    remote: ['you said from afar'],
  });
  const { events, alone } = said as unknown as Record<string, string[]>;
  expect(events?.[0]).toBe('metadata');
  expect(new Set(events)).toEqual(new Set(['metadata', 'values', 'messages', 'updates']));
  expect(new Set(alone)).toEqual(new Set(['metadata', 'values']));
}, 300_000);

test('the SDK for JavaScript streams a conversation and resumes it', async () => {
  const client = new Client({ apiUrl: url, defaultHeaders: { authorization: `Bearer ${token}` } });
  const { thread_id } = await client.threads.create({ graphId: 'chatter', metadata: { topic: 'coffee' } });
  const input = { messages: [{ type: 'human', content: 'ask me' }] };
  const created: string[] = [];
  const events: string[] = [];
  const streamMode = ['values' as const, 'messages-tuple' as const, 'updates' as const];
  const onRunCreated = ({ run_id }: { run_id: string }) => void created.push(run_id);
  for await (const { event } of client.runs.stream(thread_id, 'chatter', { input, streamMode, onRunCreated }))
    events.push(event);
  expect(events).toEqual(expect.arrayContaining(['metadata', 'values', 'updates']));
  const state = await client.threads.getState(thread_id);
  expect(state.tasks[0]?.interrupts).toMatchObject([{ value: { question: 'sure?' } }]);
  const values = await client.runs.wait(thread_id, 'chatter', { command: { resume: 'no' } });
  expect(values).toMatchObject({ messages: [{ type: 'human' }, { type: 'ai', content: 'you said no' }] });
  expect(await client.threads.getHistory(thread_id)).not.toEqual([]);
  expect(await client.threads.search({ metadata: { topic: 'coffee' } })).toMatchObject([{ thread_id, status: 'idle' }]);
  expect((await client.runs.list(thread_id)).map(({ status }) => status)).toEqual(['success', 'interrupted']);
  expect((await client.runs.get(thread_id, created[0] ?? '')).status).toBe('interrupted');
  await client.store.putItem(['notes', 'js'], 'one', { text: 'two' });
  expect(await client.store.getItem(['notes', 'js'], 'one')).toMatchObject({ value: { text: 'two' } });
}, 120_000);

test('the SDK for Python of the version before walks through it with a key', async () => {
  expect(await runPython(earlier_packages, 'langgraph_walk.py', [url, key, 'chatter'])).toEqual({
    assistant: 'chatter',
    waited: ['human: hello', 'ai: you said hello'],
    events: ['metadata', 'values', 'updates', 'updates', 'values'],
    joined: 'ai: you said later',
    first: ['metadata', 'updates', 'updates'],
    rest: ['updates'],
    state: ['human: by hand', []],
    item: 'far',
    found: [true],
  });
}, 120_000);

test('the SDK for JavaScript of the major version before walks through it with a key', async () => {
  const client = new EarlierClient({ apiUrl: url, apiKey: key });
  expect((await client.assistants.get('chatter')).graph_id).toBe('chatter');
  const { thread_id } = await client.threads.create();
  const input = { messages: [{ type: 'human', content: 'hello' }] };
  await client.runs.wait(thread_id, 'chatter', { input });
  const events: string[] = [];
  const resumable = { input, streamMode: 'updates' as const, streamResumable: true };
  for await (const { event } of client.runs.stream(thread_id, 'chatter', resumable)) events.push(event);
  expect(events).toEqual(['metadata', 'updates', 'updates']);
  const [run] = await client.runs.list(thread_id);
  const rest: string[] = [];
  for await (const { event } of client.runs.joinStream(thread_id, run?.run_id ?? '', { lastEventId: '1' }))
    rest.push(event);
  expect(rest).toEqual(['updates']);
  expect(await client.runs.join(thread_id, run?.run_id ?? '')).toMatchObject({ messages: [{}, {}, {}, {}] });
  await client.threads.updateState(thread_id, { values: input, asNode: 'reply' });
  expect((await client.threads.getState(thread_id)).values).toMatchObject({
    messages: [{}, {}, {}, {}, { content: 'hello' }],
  });
  await client.store.putItem(['notes', 'old'], 'one', { text: 'two' });
  expect(await client.store.getItem(['notes', 'old'], 'one')).toMatchObject({ value: { text: 'two' } });
}, 120_000);

test('the agent of CopilotKit for langgraph streams a conversation, and answers a question', async () => {
  const copilot = new LangGraphAgent({ deploymentUrl: url, graphId: 'chatter', langsmithApiKey: key });
  copilot.threadId = randomUUID();
  const asked: unknown[] = [];
  const kinds = new Set<string>();
  const reading = {
    onEvent: ({ event }: { event: { type: string } }) => void kinds.add(event.type),
    onCustomEvent: ({ event }: { event: { name: string; value: unknown } }) => {
      if (event.name === 'on_interrupt') asked.push(event.value);
    },
  };
  const say = async (content: string) => {
    copilot.addMessage({ id: randomUUID(), role: 'user', content });
    await copilot.runAgent({}, reading);
    return copilot.messages.map((message) => `${message.role}: ${JSON.stringify(message.content)}`);
  };
  expect(await say('hello')).toEqual(['user: "hello"', 'assistant: "you said hello"']);
  expect(kinds).toContain('TEXT_MESSAGE_CONTENT');
  await say('ask me');
  expect(asked).toHaveLength(1);
  await copilot.runAgent({ forwardedProps: { command: { resume: 'yes' } } }, reading);
  expect(copilot.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'you said yes' });
}, 120_000);

test('another caller has none of it', async () => {
  await gantry.person('suki');
  await gantry.must('svc team add sdks user:suki@example.com --role viewer');
  const headers = { authorization: `Bearer ${await gantry.token('suki')}` };
  const client = new Client({ apiUrl: url, defaultHeaders: headers });
  expect(await client.threads.search()).toEqual([]);
  expect((await client.store.searchItems(['notes'])).items).toEqual([]);
}, 60_000);
