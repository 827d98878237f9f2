// Recomputes every hash of every chain and compares it with the checkpoints, here and outside. A chain alone cannot reveal a truncation with
// its head row, or a rewrite. So without outside evidence the verdict is `unanchored`, never "true". The checks are those of
// verifier/verify.mjs, which a stranger runs on an export.
import { chains, type Chain, type Verification } from '@gantry/contract/audit/audit.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { headOf, prunedUpTo } from '../../audit/chain.ts';
import { checkInThread } from './check-thread.ts';
import type { CheckpointFile } from '../checkpoints/checkpoint-file.ts';
import * as guards from './guards-store.ts';
import { parseHead, printHead, type Noted } from './noted-head.ts';
import type { ProofParts } from '../parts.ts';
import { readEntries } from '../read-entries.ts';
import * as store from '../store.ts';

type Damage = Verification['damage'];
type Anchor = { from: string; text: string };

export interface Given {
  /** The head from an earlier verification. */
  head?: string | undefined;
  /** Outside checkpoints, one note after the other. */
  anchor?: string | undefined;
}

/** `parts.own_file` can only prove damage, because it is beside the key. */
export async function verify(parts: ProofParts, { head, anchor }: Given = {}): Promise<Verification> {
  const noted: Noted = head === undefined ? new Map() : parseHead(head);
  const outside = await anchorsOf(parts, anchor);
  const damage: Damage = await missingGuards(parts);
  const notices: Verification['notices'] = [];
  const checked: Verification['chains'] = [];
  let anchored = noted.size > 0 || outside.length > 0;
  for (const chain of chains) {
    const found = await verifyChain(parts, chain, { noted: noted.get(chain), outside });
    damage.push(...(found.damage as Damage)); // the kinds of the contract
    notices.push(...(found.notices as Verification['notices']));
    checked.push({
      chain,
      entries: found.entries,
      head: found.head,
      signed: found.signed,
      anchored: found.anchored,
      checkpoint: found.checkpoint,
    });
    anchored &&= found.noted || found.anchored > 0 || found.entries === 0;
  }
  const verdict = damage.length > 0 ? 'damaged' : anchored ? 'true_as_anchored' : 'unanchored';
  return { verdict, chains: checked, damage, notices, head: printHead(checked) };
}

async function verifyChain(
  parts: ProofParts,
  chain: Chain,
  { noted, outside }: { noted: { seq: number; hash: string } | undefined; outside: Anchor[] },
) {
  const { db, key, own_file } = parts;
  // Files first, then checkpoints, then the head: each of them contains the previous one, even with a concurrent writer.
  const own = (await notesOf(own_file)).map((note) => ({ ...note, near: true }));
  const checkpoints = (await store.allCheckpoints(db, chain)).map(({ size, note }) => ({ size, text: note }));
  const horizon = await prunedUpTo(db, chain);
  const head = await headOf(db, chain);
  const marks = await store.marks(db, chain);
  const anchors = [...outside, ...own].filter(({ text }) => chainOf(text) === chain);
  const given = { chain, key: key.public_key, checkpoints, anchors, marks, noted };
  const found = await checkInThread(given, readEntries(db, chain, { after: 0, up_to: head.seq }), head);
  // A prune meanwhile is no damage.
  if ((await prunedUpTo(db, chain)) !== horizon) return await verifyChain(parts, chain, { noted, outside });
  const extra = await store.pastHead(db, chain);
  if (extra !== undefined)
    found.damage.push({
      chain,
      seq: extra.seq,
      kind: 'insert',
      detail: `Entry ${extra.seq} is past the head of the chain: it was not written through the log.`,
    });
  return { ...found, checkpoint: checkpoints.at(-1)?.text ?? null };
}

async function anchorsOf({ outside_file }: ProofParts, given: string | undefined): Promise<Anchor[]> {
  const handed = (given?.match(/[^]*?\n\n— .*\n/g) ?? []).map((text) => ({ from: 'the anchor', text }));
  if (given !== undefined && handed.map(({ text }) => text).join('') !== given)
    throw new Problem('malformed', { detail: 'These are not checkpoints of the audit log.' });
  return [...(outside_file === undefined ? [] : await notesOf(outside_file)), ...handed];
}

async function notesOf(file: CheckpointFile): Promise<Anchor[]> {
  return (await Array.fromAsync(file.all())).map(({ note }) => ({ from: file.path, text: note }));
}

const chainOf = (note: string): string => note.split('\n', 1)[0]?.split('/').at(-1) ?? '';

async function missingGuards({ db }: ProofParts): Promise<Damage> {
  const found = (kind: Damage[number]['kind'], details: string[]): Damage =>
    details.map((detail) => ({ chain: 'governance', seq: null, kind, detail }));
  const [triggers, functions, grants] = [
    await guards.missingTriggers(db),
    await guards.changedFunctions(db),
    await guards.excessGrants(db),
  ];
  return [
    ...found(
      'trigger_missing',
      triggers.map((name) => `The trigger ${name} is missing or disabled.`),
    ),
    ...found(
      'function_changed',
      functions.map((name) => `The function audit.${name} differs from its migration.`),
    ),
    ...found(
      'grant_excess',
      grants.map((what) => `Excess privilege: ${what}.`),
    ),
  ];
}
