import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { countSilences } from './silences.ts';

async function agent(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

const signal = AbortSignal.timeout(60_000);

test('a container hangs at the third look in a row that it leaves unanswered, and an answer begins the count anew', async () => {
  let answers = false;
  const url = await agent((_, response) =>
    answers ? response.end('{"status":"ready","in_flight":64}') : response.destroy(),
  );
  const silences = countSilences();
  const look = async (started_at = 'then', revision_id = 'one') =>
    await silences.areTooMany({ revision_id, url, started_at }, signal);
  expect([await look(), await look()]).toEqual([false, false]);
  answers = true;
  expect(await look()).toBe(false);
  answers = false;
  expect([await look(), await look()]).toEqual([false, false]);
  expect(await look('then', 'two')).toBe(false);
  expect(await look('later')).toBe(false);
  expect([await look('later'), await look('later')]).toEqual([false, true]);
});

test('five seconds without an answer are a silence', async () => {
  const url = await agent(() => {});
  const silences = countSilences();
  const began = performance.now();
  await silences.areTooMany({ revision_id: 'one', url, started_at: 'then' }, signal);
  expect(performance.now() - began).toBeGreaterThan(4900);
  const slow = await agent((_, response) => setTimeout(() => response.end('{"status":"ready","in_flight":1}'), 3500));
  for (let looks = 0; looks < 3; looks++)
    expect(await silences.areTooMany({ revision_id: 'one', url: slow, started_at: 'then' }, signal)).toBe(false);
});
