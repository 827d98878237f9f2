// Clients that exist talk to a deployed agent: the packages `openai` and `ai`, whole and streamed, in both formats, and the client of AG-UI.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@gantry/contract/client/client.ts';
import { HttpAgent, type BaseEvent, type ResumeEntry } from '@ag-ui/client';
import { EventSchemas, RunFinishedEventSchema } from '@ag-ui/core/schemas';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { adminOf } from '../api.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const clone = join(import.meta.dirname, '../..');
const talker = await readFile(join(clone, 'e2e/agents/talker.py'), 'utf8');
const requirements = await readFile(join(clone, 'examples/langgraph-openai/requirements.txt'), 'utf8');
/** Another file may give the model in the projects another address. */
const own_model = 'talkers-model';
const model = 'agents/talker';
const paris = 'The capital of France is Paris.';
const question = 'What is the capital of France?';

let gantry: SharedInstallation;
let admin: Client;
let openai: OpenAI;
let baseURL: string;

beforeAll(async () => {
  gantry = await sharedInstallation('talkers', teams.langchain_openai);
  admin = await adminOf(gantry);
  await admin.call('registry.create', {
    params: { kind: 'model' },
    body: {
      name: own_model,
      team: gantry.team,
      config: {
        provider: 'test',
        model: own_model,
        base_url: gantry.model_url,
        price_usd_per_million: { input: '1', output: '1' },
      },
    },
  });
  await writeProject(gantry, 'talker', {
    'agent.yaml': agentYaml('talker', `model:\n  primary: ${own_model}\n`, gantry.team),
    'agent.py': talker,
    'requirements.txt': requirements,
  });
  await gantry.must('svc deploy', { in: 'talker' });
  await gantry.person('tara');
  await gantry.must(`svc team add ${gantry.team} user:tara@example.com --role viewer`);
  baseURL = `${gantry.url}/v1`;
  openai = new OpenAI({ apiKey: await keyOf('tara', `--models ${model}`), baseURL, maxRetries: 0 });
}, 300_000);

async function keyOf(as: string, flags: string): Promise<string> {
  const { stdout } = await gantry.must(`svc key create ${flags} --json`, { as });
  return (JSON.parse(stdout) as { key: string }).key;
}

const messages = [{ role: 'user' as const, content: question }];

describe('the package openai', () => {
  test('finds the agent among its models', async () => {
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual([model]);
  });

  test('chats, whole and streamed, with the tokens that the run has used', async () => {
    const { choices, usage } = await openai.chat.completions.create({ model, messages });
    expect([choices[0]?.message.content, usage?.total_tokens]).toEqual([paris, 30]);
    const stream = openai.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
    let pieces = 0;
    stream.on('content', () => pieces++);
    const final = await stream.finalChatCompletion();
    expect([final.choices[0]?.message.content, final.usage?.total_tokens]).toEqual([paris, 30]);
    expect(pieces).toBeGreaterThan(1);
  });

  test('brings all messages of a chat, and the agent keeps none of them', async () => {
    const count = async (before: number) => {
      const earlier = Array.from({ length: before }, (_, n) => ({
        role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: 'Hi',
      }));
      const said = [...earlier, { role: 'user' as const, content: 'count' }];
      return (await openai.chat.completions.create({ model, messages: said })).choices[0]?.message.content;
    };
    expect([await count(2), await count(0)]).toEqual(['3 messages', '1 messages']);
    expect((await gantry.must('svc threads list talker --json', { as: 'tara' })).stdout.trim()).toBe('[]');
  });

  test('continues a response, whole and streamed', async () => {
    const first = await openai.responses.create({ model, input: question });
    expect(first.output_text).toBe(paris);
    const second = await openai.responses.create({ model, input: 'count', previous_response_id: first.id });
    expect(second.output_text).toBe('3 messages');
    const stream = openai.responses.stream({ model, input: 'count', previous_response_id: second.id });
    expect((await stream.finalResponse()).output_text).toBe('5 messages');
  });

  test('names a conversation, which is a thread of its person', async () => {
    for (const counted of ['1 messages', '3 messages'])
      expect((await openai.responses.create({ model, input: 'count', conversation: 'trip' })).output_text).toBe(
        counted,
      );
    expect((await gantry.must('svc threads list talker', { as: 'tara' })).stdout).toMatch(/^trip /m);
  });

  test('answers a run that waits for a person', async () => {
    const asked = await openai.responses.create({ model, input: 'ask' });
    expect(asked.output_text).toBe('Which city?');
    const { output_text } = await openai.responses.create({ model, input: 'Rome', previous_response_id: asked.id });
    expect(output_text).toBe('You said Rome.');
  });
});

describe('the package ai', () => {
  const providers = {
    'openai-compatible': () =>
      createOpenAICompatible({ name: 'gantry', apiKey: openai.apiKey ?? '', baseURL, includeUsage: true })(model),
    'openai chat': () => createOpenAI({ apiKey: openai.apiKey ?? '', baseURL }).chat(model),
    'openai responses': () => createOpenAI({ apiKey: openai.apiKey ?? '', baseURL }).responses(model),
  };

  test.each(Object.entries(providers))('%s: whole and streamed', async (_, of) => {
    const whole = await generateText({ model: of(), prompt: question, maxRetries: 0 });
    expect([whole.text, whole.usage.totalTokens]).toEqual([paris, 30]);
    const streamed = streamText({ model: of(), prompt: question, maxRetries: 0 });
    expect((await Array.fromAsync(streamed.textStream)).join('')).toBe(paris);
    expect((await streamed.usage).totalTokens).toBe(30);
  });
});

describe('the client of AG-UI', () => {
  const talk = async () => {
    const headers = { authorization: `Bearer ${await gantry.token('tara')}` };
    const agent = new HttpAgent({ url: `${gantry.url}/agents/talker/stream`, headers, threadId: crypto.randomUUID() });
    const events: BaseEvent[] = [];
    agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
    const say = async (content: string, resume?: ResumeEntry[]) => {
      if (resume === undefined) agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
      const { newMessages } = await agent.runAgent(resume && { resume });
      return newMessages.map((message) => message.content);
    };
    return { say, events };
  };

  test('talks on a thread, on which each message is once, and each event fits the protocol', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { say, events } = await talk();
    expect(await say(question)).toEqual([paris]);
    expect(await say('count')).toEqual(['3 messages']);
    for (const event of events) EventSchemas.parse(event);
    expect(events.map(({ type }) => type)).toContain('STATE_SNAPSHOT');
    expect(warn).not.toHaveBeenCalled();
  });

  test('answers a run that waits for a person', async () => {
    const { say, events } = await talk();
    await say('ask');
    const last = RunFinishedEventSchema.parse(events.at(-1));
    const [asked] = last.outcome?.type === 'interrupt' ? last.outcome.interrupts : [];
    expect(asked).toMatchObject({ metadata: { value: 'Which city?' } });
    expect(await say('', [{ interruptId: asked?.id ?? '', status: 'resolved', payload: 'Rome' }])).toEqual([
      'You said Rome.',
    ]);
  });
});

describe('a refusal', () => {
  test('of a spent budget of the agent says so, and is not repeated', async () => {
    await admin.call('budgets.set', { body: { scope: 'agent', scope_id: 'talker', limits: { daily_usd: '0' } } });
    const asking = openai.chat.completions.create({ model, messages });
    await expect(asking).rejects.toMatchObject({ status: 429, error: { code: 'budget_exceeded' } });
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ error: { code: 'budget_exceeded' } });
  });

  test('of a key that does not name the agent, and of an agent that does not exist', async () => {
    const plain = new OpenAI({ apiKey: await keyOf('tara', '--models "*"'), baseURL, maxRetries: 0 });
    await expect(plain.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 403 });
    await expect(openai.chat.completions.create({ model: 'agents/nobody', messages })).rejects.toMatchObject({
      status: 403,
    });
  });
});
