// Limits of calls of tools: their sizes and times, how many at once and per minute, and what they cost. The limits count in the database.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { toolStage, type ToolStage } from '../../../testing/agents/tool-stage.ts';
import { textTool, type OfferedTool } from '../../../testing/servers/mcp-server.ts';
import { openToolCalls } from './open-calls.ts';

let release: () => void = () => {};
let whileOpen: (() => Promise<void>) | undefined;
const tools = (): OfferedTool[] => [
  textTool('free', 'Costs nothing', () => 'ok'),
  textTool('often', 'Has a price', () => 'ok'),
  textTool('long', 'Answers a lot', () => 'x'.repeat(2000)),
  {
    ...textTool('priced', 'Has a price', () => 'ok'),
    call: async () => {
      await whileOpen?.();
      return { content: [{ type: 'text', text: 'ok' }] };
    },
  },
  {
    ...textTool('slow', 'Ends when it is told to', () => 'ok'),
    call: async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return { content: [{ type: 'text', text: 'ok' }] };
    },
  },
];

let stage: ToolStage;
beforeAll(async () => {
  stage = await toolStage({
    tools: tools(),
    config: {
      rules: [{ name: 'no-chur', tools: ['priced'], deny: 'has(args.city) && args.city == "Chur"', because: 'No.' }],
      rate: { agent: 6, caller: 4 },
      prices: [{ tools: ['priced'], usd: '0.4' }],
    },
  });
});
afterAll(async () => await stage?.close());
beforeEach(async () => {
  whileOpen = undefined;
  await stage.app.db.run(sql`delete from tool_call`);
  await stage.begin();
});
afterEach(async () => {
  release();
  await stage.end();
  await set({ tool_arguments_kb: 64, tool_result_kb: 1024, tool_call_seconds: 60, tool_calls_at_once: 8 });
});

const set = async (body: object) => await stage.app.admin.client.call('org.set', { body });

async function otherCall(
  of: { lease_seconds?: number; outcome?: string; age_seconds?: number; caller_id?: string } = {},
): Promise<string> {
  const { lease_seconds = 30, outcome = null, age_seconds = 0, caller_id = randomUUID() } = of;
  const id = randomUUID();
  await stage.app.db.run(sql`
    insert into tool_call (id, agent_id, revision_id, caller_id, server, server_version, tool, arguments_digest, lease_until, started_at, outcome, ended_at)
    values (${id}, ${stage.agent.asset_id}, ${randomUUID()}, ${caller_id}, 'mcp-servers/city', '1.0.0', 'free', 'sha256:0',
      clock_now() + make_interval(secs => ${lease_seconds}), clock_now() - make_interval(secs => ${age_seconds}), ${outcome},
      case when ${outcome}::text is not null then clock_now() end)`);
  return id;
}

test('sizes and times are settings of the organisation', async () => {
  const large = { city: 'x'.repeat(2000) };
  expect(await stage.call('free', large)).toMatchObject({ text: 'ok' });
  await set({ tool_arguments_kb: 1 });
  expect(await stage.call('free', large)).toMatchObject({ code: 'too_large', isError: true });
  expect(stage.upstream.called).toEqual(['free']);
  expect(await stage.call('long', {})).toMatchObject({ isError: false });
  await set({ tool_result_kb: 1, tool_call_seconds: 1 });
  expect(await stage.call('long', {})).toMatchObject({ code: 'server_unavailable', isError: true });
  expect(await stage.call('slow', {})).toMatchObject({ code: 'server_unavailable', isError: true });
});

test('calls of other processes take places of an agent, until they end or their process is dead', async () => {
  await set({ tool_calls_at_once: 2 });
  const ids = [await otherCall(), await otherCall()];
  const refused = await stage.call('free', {});
  expect(refused).toMatchObject({ isError: true, code: 'too_many_requests' });
  expect(refused.text).toContain('Call again after 1 seconds');
  expect(stage.upstream.called).toEqual([]);
  await stage.app.db.run(sql`update tool_call set lease_until = clock_now() - interval '1 s' where id = ${ids[0]}`);
  expect(await stage.call('free', {})).toMatchObject({ text: 'ok' });
});

test('of many calls at once, as many go out as there are places', async () => {
  await set({ tool_calls_at_once: 3 });
  let ended = 0;
  const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map(async (city) => {
    const answer = await stage.call('often', { city });
    ended += 1;
    return answer.code;
  });
  stage.upstream.tools = tools().map((tool) =>
    tool.name === 'often'
      ? {
          ...tool,
          call: async () => {
            await vi.waitFor(() => expect(ended).toBeGreaterThanOrEqual(3), { timeout: 20_000 });
            return { content: [{ type: 'text', text: 'ok' }] };
          },
        }
      : tool,
  );
  const codes = await Promise.all(calls);
  stage.upstream.tools = tools();
  expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(3);
  expect(codes.filter((code) => code === undefined)).toHaveLength(3);
});

test('the process of a call that is under way renews its lease', async () => {
  const id = await otherCall({ lease_seconds: 5 });
  const left = async () => {
    const row = await stage.app.db.one<{ left: number }>(
      sql`select extract(epoch from lease_until - clock_now())::float8 as left from tool_call where id = ${id}`,
    );
    return row?.left ?? 0;
  };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const errors: unknown[] = [];
  const calls = openToolCalls(stage.app.db, (error) => errors.push(error));
  calls.add(id);
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  await expect.poll(left).toBeGreaterThan(20);
  calls.remove(id);
  expect(errors).toEqual([]);
});

test('a server has a rate for an agent, and one for each end caller, and a refusal says when there is room', async () => {
  for (const age_seconds of [50, 5]) await otherCall({ outcome: 'answered', age_seconds, caller_id: stage.ada_id });
  await otherCall({ outcome: 'refused', caller_id: stage.ada_id });
  await otherCall({ outcome: 'answered', age_seconds: 61, caller_id: stage.ada_id });
  for (const _ of [1, 2]) expect(await stage.call('free', {})).toMatchObject({ text: 'ok' });
  const refused = await stage.call('free', {});
  expect(refused).toMatchObject({ isError: true, code: 'rate_limit_exceeded' });
  expect(refused.text).toContain('This agent, for this caller, may call mcp-servers/city 4 times per minute');
  expect(Number(/Call again after (\d+) seconds/.exec(refused.text)?.[1])).toBeLessThanOrEqual(10);
  for (const _ of [1, 2]) await otherCall({ outcome: 'answered' });
  expect((await stage.call('free', {})).text).toContain('This agent may call mcp-servers/city 6 times per minute');
  expect(stage.upstream.called).toEqual(['free', 'free']);
});

test('the budget of the agent pays for a call: its price is held before it goes out, and costs show it', async () => {
  const holds: unknown[] = [];
  whileOpen = async () => {
    holds.push(
      await stage.app.db.one(sql`select nano, call ->> 'upstream_model' as tool,
        deadline > clock_now() + interval '10 minutes' as is_later from hold`),
    );
  };
  expect(await stage.call('priced', { city: 'Chur' })).toMatchObject({ code: 'rule_refused' });
  for (const _ of [1, 2]) expect(await stage.call('priced', {})).toMatchObject({ text: 'ok' });
  expect(holds).toEqual([1, 2].map(() => ({ nano: 400_000_000, tool: 'priced', is_later: true })));
  const refused = await stage.call('priced', {});
  expect(refused).toMatchObject({ isError: true, code: 'budget_exceeded' });
  expect(refused.text).toMatch(/The budget starts again at 20\d\d-/);
  expect(stage.upstream.called).toEqual(['priced', 'priced']);
  expect(await stage.app.db.all(sql`select 1 from hold`)).toEqual([]);
  const { rows, usd } = await stage.app.admin.client.call('costs.report', { query: { by: 'tool,model' } });
  expect(usd).toBe('0.80');
  expect(rows).toMatchObject([{ of: { tool: 'mcp-servers/city/priced', model: null }, usd: '0.80', calls: 2 }]);
});
