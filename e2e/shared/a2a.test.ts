// Agents in containers, called in the Agent2Agent protocol by clients that others wrote.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { a2aClient, say } from '../../server/src/testing/agents/a2a-client.ts';
import type { Installation } from '../installation.ts';
import { crewai, runPython } from '../run-python.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const agents = join(import.meta.dirname, '../agents');
let gantry: Installation;
let token: string;
let url: string;

beforeAll(async () => {
  gantry = await sharedInstallation('a2a', teams.langgraph);
  await gantry.person('pia');
  await gantry.must(`svc team add ${gantry.team} user:pia@example.com --role viewer`);
  await writeProject(gantry, 'answerer', {
    'agent.py': await readFile(join(agents, 'answerer.py'), 'utf8'),
    'agent.yaml': agentYaml('answerer', 'description: Answers questions.\n', gantry.team),
  });
  await gantry.must('svc deploy', { in: 'answerer' });
  token = await gantry.token('pia');
  url = `${gantry.url}/agents/answerer`;
});

const python = async (packages: readonly string[], script: string, ...more: string[]) =>
  await runPython(packages, script, [url, token, ...more]);

const containing = (text: string) => expect.stringContaining(text) as string;
const answered = (answer: string) => ({
  status: { state: 'TASK_STATE_COMPLETED' },
  artifacts: [
    {
      parts: [
        { text: containing(answer), mediaType: 'text/plain' },
        { data: { answer }, mediaType: 'application/json' },
      ],
    },
  ],
});

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('by %s', (binding) => {
  test('the SDK for TypeScript sends a message, and answers the question of the agent', async () => {
    const client = await a2aClient(url, token, binding);
    const first = await client.sendMessage(say('hi') as never);
    expect(first).toMatchObject({
      status: { state: 3 },
      artifacts: [{ parts: [{ content: { value: containing('You asked: hi') } }, {}] }],
    });
    const asks = (await client.sendMessage(say('which') as never)) as { id: string };
    expect(asks).toMatchObject({
      status: { state: 6, message: { parts: [{ content: { value: 'Tea or coffee?' } }, {}] } },
    });
    const chosen = await client.sendMessage(say('tea', { taskId: asks.id }) as never);
    expect(chosen).toMatchObject({
      id: asks.id,
      status: { state: 3 },
      artifacts: [{ parts: [{ content: { value: containing('You chose tea.') } }, {}] }],
    });
  });

  test('the SDK for TypeScript reads the text in pieces before the end', async () => {
    const client = await a2aClient(url, token, binding);
    const came: string[] = [];
    for await (const { payload } of client.sendMessageStream(say('pieces') as never)) {
      if (payload?.$case !== 'artifactUpdate') continue;
      const { artifact, append, lastChunk } = payload.value;
      const [first] = artifact?.parts ?? [];
      const piece = first?.content?.$case === 'text' ? first.content.value : '';
      came.push(`${append ? 'append' : 'begin'} ${piece}`);
      // The agent waits for it in the middle of its answer.
      if (!lastChunk && came.length === 1) await client.sendMessage(say('go') as never);
    }
    expect(came).toEqual(['begin Pieces ', 'append of the ', 'append answer', 'begin Pieces of the answer']);
  });

  test('the SDK for Python sends, streams, reads, lists and cancels', async () => {
    const came = await python(['a2a-sdk[http-server]==1.3.0'], 'a2a_client.py', binding);
    expect(came).toMatchObject({
      card: 'answerer',
      first: answered('You asked: hi'),
      asks: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
      chosen: answered('You chose tea.'),
      failed: {
        state: 'TASK_STATE_FAILED',
        message: { parts: [{ text: containing('no such thing') }, {}] },
      },
      events: ['task', 'artifactUpdate', 'statusUpdate'],
      pieces: ['Pieces ', 'of the ', 'answer'],
      assembled: answered('Pieces of the answer'),
      cancelled: 'TASK_STATE_CANCELED',
      read: answered('You asked: hi'),
    });
  });
});

test('the SDK for Python assembles the pieces of a stream in 0.3', async () => {
  expect(await python(['a2a-sdk[http-server]==0.3.26'], 'a2a_client_0_3.py')).toEqual({
    grown: [['Pieces '], ['Pieces ', 'of the '], ['Pieces ', 'of the ', 'answer'], ['Pieces of the answer']],
    state: 'completed',
  });
});

test("an unmodified crew asks the agent by crewai's own client, in 0.3", async () => {
  const { raw } = await python([crewai], 'a2a_crew.py');
  expect(raw).toContain('You asked: hi');
});
