// The same agent, called alone, and by runs with one and with five calls, in turns. What a run takes beyond its bare calls are its commits
// and its decisions.
import { keptConnection } from '../load/kept-connection.ts';
import { syncMilliseconds } from '../report/machine.ts';
import type { Row } from '../report/row.ts';
import { interleaved, quantile, repeat, timed } from '../load/sampling.ts';
import type { Measured } from '../service/service.ts';
import { member_name } from './members.ts';

const input = { text: 'hello' };

export async function measureMemberCall(
  { installation, token }: Measured,
  { quick }: { quick: boolean },
): Promise<Row[]> {
  const [rounds, calls] = quick ? [2, 10] : [5, 40];
  await using connection = keptConnection(installation.url, { authorization: `Bearer ${token}` });
  const take = (path: string, body: object) => async () =>
    await repeat(calls, async () => await timed(async () => await connection.send('POST', path, JSON.stringify(body))));
  const { bare, one, five, sync } = await interleaved(rounds, {
    bare: take(`/agents/${member_name}/invoke`, { input }),
    one: take('/orchestrations/one/invoke', { input }),
    five: take('/orchestrations/five/invoke', { input }),
    sync: syncMilliseconds,
  });
  const [bare_ms, one_ms, sync_ms] = [bare, one, sync].map((samples) => quantile(samples, 0.5)) as [
    number,
    number,
    number,
  ];
  const added = five.map((ms) => ms / 5 - bare_ms);
  const share = (quantile(added, 0.5) / bare_ms).toFixed(1);
  const how = `${rounds} rounds of ${calls} in turns, one client`;
  return [
    { measure: 'a run with one member', unit: 'ms', samples: one, bare, how: `${how}; bare: the agent, called alone` },
    { measure: 'a run with five members', unit: 'ms', samples: five, bare, how: `${how}, one member after the other` },
    {
      measure: '… each call of a member adds',
      unit: 'ms',
      at_most: 3 * sync_ms + 5,
      samples: added,
      how: `${share} × the bare call: its decision, its row, its step and two stored answers; goal: 3 × fsync + 5 ms`,
    },
    {
      measure: '… each further one adds',
      unit: 'ms',
      samples: five.map((ms) => (ms - one_ms) / 4 - bare_ms),
      how: 'without the begin and the end of the run',
    },
    { measure: 'fsync of the disk', unit: 'ms', samples: sync, how: '4 kB, in turns with the above' },
  ];
}
