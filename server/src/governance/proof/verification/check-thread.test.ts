import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { entryHash, genesisHash, type Entry } from '../../../../../verifier/verify.mjs';
import { checkInThread } from './check-thread.ts';

const chain = 'governance';
const given = { chain, key: generateKeyPairSync('ed25519').publicKey, checkpoints: [] };
const first = entryOf(1, genesisHash(chain));
const second = entryOf(2, first.hash);
const head = { seq: second.seq, hash: second.hash };

function entryOf(seq: number, prev: string): Entry {
  const entry = { chain, seq, occurred_at: '2026-01-31T12:00:00.000000Z', body: '{}', prev };
  return { ...entry, hash: entryHash(entry) };
}

async function* inParts(...parts: Entry[][]) {
  yield* parts;
}

test('entries in several batches are one chain', async () => {
  const found = await checkInThread(given, inParts([first], [second]), head);
  expect(found).toMatchObject({ entries: 2, head: second.hash, damage: [] });
  const edited = { ...second, body: '[]' };
  expect((await checkInThread(given, inParts([first], [edited]), head)).damage).toMatchObject([
    { seq: 2, kind: 'edit' },
  ]);
});

test('a failure on either side ends the check and is reported', async () => {
  async function* broken() {
    yield [first];
    throw new Error('the database went away');
  }
  await expect(checkInThread(given, broken(), head)).rejects.toThrow('the database went away');
  const unusable = { ...given, marks: null as unknown as [] };
  await expect(checkInThread(unusable, inParts([first]), head)).rejects.toThrow('null');
  const wrong = { ...second, body: undefined as unknown as string };
  await expect(checkInThread(given, inParts([first], [wrong], [second]), head)).rejects.toThrow('undefined');
});
