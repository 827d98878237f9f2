import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkProof } from '../../../../../verifier/verify.mjs';
import { testLog, type TestLog } from '../../../testing/access/proof.ts';
import { prove } from './prove.ts';

const run = promisify(execFile);
const verifier = resolve(import.meta.dirname, '../../../../../verifier/verify.mjs');
let log: TestLog;
beforeAll(async () => {
  log = await testLog();
  await log.write('a', 'b', 'c');
  await log.sign();
  await log.write('d', 'e', 'f', 'g', 'h', 'i', 'j', 'k');
  await log.sign();
  await log.write('l', 'm');
});
afterAll(async () => await log?.close());

const proofOf = async (seq: number) => await prove(log.parts, { seal: log.sign, chain: 'governance', seq });

test('every entry has a proof under the first checkpoint over it; the newest entry is signed first', async () => {
  for (let seq = 1; seq <= 13; seq++) {
    const proof = await proofOf(seq);
    expect(checkProof(proof, log.parts.key.public_key)).toBe(undefined);
    expect(Number(proof.checkpoint.split('\n')[1])).toBe(seq <= 3 ? 3 : seq <= 11 ? 11 : 13);
  }
});

test('a proof holds for exactly its entry, checkpoint and path', async () => {
  const proof = await proofOf(5);
  const { public_key } = log.parts.key;
  const faults = [
    { ...proof, entry: { ...proof.entry, body: proof.entry.body.replace('"e"', '"x"') } },
    { ...proof, entry: (await proofOf(6)).entry },
    { ...proof, entry: { ...proof.entry, seq: 6 } },
    { ...proof, path: proof.path.toReversed() },
    { ...proof, path: proof.path.slice(1) },
    { ...proof, path: [...proof.path, proof.entry.hash] },
    { ...proof, checkpoint: (await proofOf(2)).checkpoint },
    { ...proof, checkpoint: proof.checkpoint.replace('time 2', 'time 3') },
  ].map((changed) => checkProof(changed, public_key));
  expect(faults).not.toContain(undefined);
});

test('a missing entry has no proof', async () => {
  await expect(proofOf(99)).rejects.toMatchObject({ code: 'not_found' });
});

test('a stranger verifies a proof with one file and the public key', async () => {
  const [file, pubkey] = [join(log.directory, 'proof.json'), join(log.directory, 'checkpoint-key.pub')];
  const proof = await proofOf(7);
  await writeFile(file, JSON.stringify(proof));
  const { stdout } = await run(process.execPath, [verifier, file, '--pubkey', pubkey], { env: {} });
  expect(stdout).toBe('true: governance/7 is in the log as signed\n');
  await writeFile(file, JSON.stringify({ ...proof, path: proof.path.toReversed() }));
  await expect(run(process.execPath, [verifier, file, '--pubkey', pubkey])).rejects.toMatchObject({ code: 1 });
});

test('an unreadable input of the stranger’s program is neither true nor damaged', async () => {
  const pubkey = join(log.directory, 'checkpoint-key.pub');
  const torn = join(log.directory, 'torn.ndjson');
  await writeFile(torn, '{"kind":"entry"');
  for (const words of [[], ['--help'], [torn, '--pubkey', pubkey], [torn, '--pubkey', join(log.directory, 'none')]])
    await expect(run(process.execPath, [verifier, ...words], { env: {} })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: node verify.mjs') as string,
    });
});
