import { expect, test } from 'vitest';
import { answeringServer } from '../testing/answering-server.ts';
import { countSilences } from './silences.ts';

const signal = AbortSignal.timeout(60_000);

test('a container hangs at the third look in a row that it leaves unanswered, and an answer begins the count anew', async () => {
  let answers = false;
  const url = await answeringServer((_, response) =>
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
  const url = await answeringServer(() => {});
  const silences = countSilences();
  const began = performance.now();
  await silences.areTooMany({ revision_id: 'one', url, started_at: 'then' }, signal);
  expect(performance.now() - began).toBeGreaterThan(4900);
  const slow = await answeringServer((_, response) =>
    setTimeout(() => response.end('{"status":"ready","in_flight":1}'), 3500),
  );
  for (let looks = 0; looks < 3; looks++)
    expect(await silences.areTooMany({ revision_id: 'one', url: slow, started_at: 'then' }, signal)).toBe(false);
});
