// 100 callers at once, whose members wait. A refused caller comes again, as the header Retry-After says. Meanwhile an agent is deployed.
import { setTimeout as sleep } from 'node:timers/promises';
import { pssMegabytes } from '../idle-memory.ts';
import type { Row } from '../report/row.ts';
import type { Measured } from '../service/service.ts';

const callers = 100;
const wait_seconds = 10;
const retry_ms = 5000;

export async function measureWaitingRuns({ installation, token, client }: Measured, ref: string): Promise<Row[]> {
  const pid = await installation.pid();
  const before = await pssMegabytes(pid);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'respond-async' };
  let refused = 0;
  const begin = async (): Promise<string> => {
    for (;;) {
      const body = JSON.stringify({ input: { text: `wait ${wait_seconds}` } });
      const answered = await fetch(`${installation.url}/orchestrations/one/invoke`, { method: 'POST', headers, body });
      const { run_id } = (await answered.json()) as { run_id?: string };
      if (run_id !== undefined) return run_id;
      if (answered.status !== 429) throw new Error(`a run was answered with ${answered.status}`);
      refused += 1;
      await sleep(Number(answered.headers.get('retry-after')) * 1000 || retry_ms);
    }
  };
  const ended = async (run_id: string) => {
    for (;;) {
      const { state, ended_at } = await client.call('orchestrate.run', { params: { name: 'one', run_id } });
      if (ended_at !== null) return state;
      await sleep(1000);
    }
  };
  let isOver = false;
  const memory_mb: number[] = [];
  const watching = (async () => {
    while (!isOver) {
      memory_mb.push(await pssMegabytes(pid));
      await sleep(250);
    }
  })();
  const runs = Array.from({ length: callers }, async () => await ended(await begin()));
  await sleep(2000); // the first ones wait
  const deploy_s = await firstStep({ client }, ref);
  const states = await Promise.all(runs);
  isOver = true;
  await watching;
  const how = `${callers} callers at once, members wait ${wait_seconds} s`;
  return [
    {
      measure: 'runs that were lost',
      unit: 'requests',
      at_most: 0,
      samples: [states.filter((state) => state !== 'done').length],
      how: `${how}; ${refused} times 429, and called again after Retry-After`,
    },
    {
      measure: '… memory of the service',
      unit: 'MB',
      at_most: 100,
      samples: [Math.max(...memory_mb) - before],
      how: `the most over the ${before.toFixed(0)} MB before`,
    },
    {
      measure: '… a deploy begins',
      unit: 's',
      at_most: 2,
      samples: [deploy_s],
      how: 'from the request to its first step, while 32 runs wait',
    },
  ];
}

async function firstStep({ client }: Pick<Measured, 'client'>, ref: string): Promise<number> {
  const began = performance.now();
  const { id } = await client.call('deployments.create', { body: { ref, force: true } });
  let seconds: number | undefined;
  for await (const { data } of await client.call('deployments.events', { params: { id }, query: {} }))
    if (data.kind === 'step') seconds ??= (performance.now() - began) / 1000;
  if (seconds === undefined) throw new Error('the deploy began no step');
  return seconds;
}
