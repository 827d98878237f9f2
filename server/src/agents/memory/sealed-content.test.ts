import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { openBlobs } from './load-states.ts';
import { openedBytes, rows, sealContent } from './sealed-content.ts';

test('contents that unpack to more than one request may open are refused by name', async () => {
  const envelope = openEnvelope(randomBytes(32));
  const zeros = { head: { type: 'bytes', size: 1000, view_size: 0 }, parts: [Buffer.alloc(1000)] };
  const found = [];
  for (const version of ['1', '2', '3']) {
    const place = { ns: '', channel: 'messages', version };
    found.push({ ...place, body: await sealContent(envelope, rows.blob('thread', place), zeros) });
  }
  expect(await openBlobs(envelope, 'thread', found, openedBytes(10_000))).toHaveLength(3);
  await expect(openBlobs(envelope, 'thread', found, openedBytes(2500))).rejects.toMatchObject({ code: 'too_large' });
});
