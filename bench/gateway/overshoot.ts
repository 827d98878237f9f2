import { keptConnection } from '../load/kept-connection.ts';
import { bodyOf, nano_of_call, type Way } from './way.ts';

export interface Spent {
  nano: number;
  calls: number;
}

const clients = 64;
const longest_ms = 120_000;

/** The clients spend the budget of the way's key until each is refused. The mock says how often it was called. */
export async function overshoot(way: Way, mock: string): Promise<Spent> {
  const callsSoFar = async () => Number(await (await fetch(mock)).text());
  const before = await callsSoFar();
  const deadline = performance.now() + longest_ms;
  const body = bodyOf('m');
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      await using connection = keptConnection(way.urls[client % way.urls.length] ?? '', way.headers('m'));
      for (;;) {
        const { status, text } = await connection.ask('POST', way.path('m'), body);
        if (status === 200 || text.includes('budget_in_flight')) {
          if (performance.now() > deadline) throw new Error('no budget ended the calls');
        } else if (/budget/i.test(text)) return;
        else throw new Error(`a call was refused for another reason: ${status} ${text}`);
      }
    }),
  );
  const calls = (await callsSoFar()) - before;
  return { calls, nano: calls * nano_of_call };
}
