// Recomputes every hash of every chain. A chain alone cannot see that its tail was cut off together with the head row: only a head that
// somebody noted elsewhere can, so without one the verdict is `unanchored`, never "true".
import { chains, type Chain, type Verification } from '@gantry/contract/audit.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { entryHash, genesisHash, type Hashed } from './hash.ts';
import * as store from './store.ts';

type Damage = Verification['damage'];
type StoredEntry = Hashed & { prev: Buffer; hash: Buffer };
type Noted = Map<Chain, { seq: number; hash: string }>;

/** `noted` is what an earlier verification printed as its head. */
export async function verify(db: Database, noted?: string): Promise<Verification> {
  const anchors = noted === undefined ? undefined : parseHead(noted);
  const damage: Damage = await missingTriggers(db);
  const checked: Verification['chains'] = [];
  for (const chain of chains) checked.push(await verifyChain(db, chain, anchors, damage));
  const verdict = damage.length > 0 ? 'damaged' : anchors === undefined ? 'unanchored' : 'true_as_anchored';
  return { verdict, chains: checked, damage, head: printHead(checked) };
}

async function verifyChain(db: Database, chain: Chain, anchors: Noted | undefined, damage: Damage) {
  const head = await store.head(db, chain);
  const anchor = anchors?.get(chain);
  let last = { seq: 0, hash: genesisHash(chain) };
  let anchored = anchor === undefined || (anchor.seq === 0 && anchor.hash === last.hash.toString('hex'));
  for await (const entry of store.everyEntry(db, chain, head.seq)) {
    damage.push(...check(entry, last));
    last = { seq: entry.seq, hash: entry.hash };
    if (anchor?.seq === entry.seq) anchored = anchor.hash === entry.hash.toString('hex');
  }
  if (last.seq !== head.seq || !last.hash.equals(head.hash)) {
    damage.push({
      chain,
      seq: last.seq,
      kind: 'head_mismatch',
      detail: `The head row says ${head.seq}, the last entry is ${last.seq}: the tail was cut off or added to.`,
    });
  }
  if (!anchored) {
    damage.push({
      chain,
      seq: anchor?.seq ?? null,
      kind: 'head_unknown',
      detail: `The noted head ${chain}:${anchor?.seq} is not in the chain: it was cut off, rolled back or rewritten.`,
    });
  }
  return { chain, entries: last.seq, head: last.hash.toString('hex') };
}

function check(entry: StoredEntry, last: { seq: number; hash: Buffer }): Damage {
  const chain = entry.chain as Chain; // the query asks for one chain by its name
  const found: Damage = [];
  if (entry.seq !== last.seq + 1)
    found.push({
      chain,
      seq: entry.seq,
      kind: 'gap',
      detail: `Entry ${entry.seq} follows ${last.seq}: entries between them are gone.`,
    });
  if (!entry.prev.equals(last.hash))
    found.push({
      chain,
      seq: entry.seq,
      kind: 'broken_link',
      detail: `Entry ${entry.seq} does not follow from the one before it.`,
    });
  if (!entryHash(entry, entry.prev).equals(entry.hash))
    found.push({ chain, seq: entry.seq, kind: 'bad_hash', detail: `Entry ${entry.seq} is not what was written.` });
  return found;
}

async function missingTriggers(db: Database): Promise<Damage> {
  const missing = await store.missingTriggers(db);
  return missing.map((name) => ({
    chain: 'governance',
    seq: null,
    kind: 'trigger_missing',
    detail: `The trigger ${name} is missing or switched off.`,
  }));
}

// `signin:12:ab…,governance:7:cd…`: short enough to write down, exact enough to hold us to.
function printHead(checked: Verification['chains']): string {
  return checked.map(({ chain, entries, head }) => `${chain}:${entries}:${head}`).join(',');
}

function parseHead(text: string): Noted {
  const parts = text.split(',').map((part) => /^(signin|governance):(\d{1,15}):([0-9a-f]{64})$/.exec(part.trim()));
  const noted: Noted = new Map();
  for (const part of parts) {
    if (part?.[1] === undefined || part[2] === undefined || part[3] === undefined) {
      throw new Problem('malformed', { detail: 'This is not a head as `svc audit verify` prints it.' });
    }
    const chain = part[1] as Chain; // the pattern names the chains
    if (noted.has(chain)) throw new Problem('malformed', { detail: `This head names the chain ${chain} twice.` });
    noted.set(chain, { seq: Number(part[2]), hash: part[3] });
  }
  // A chain that it does not name could be cut off and still be called anchored.
  const missing = chains.filter((chain) => !noted.has(chain));
  if (missing.length > 0) {
    throw new Problem('malformed', {
      detail: `This head is not whole: it does not name the chain ${missing.join(', ')}.`,
      hint: 'Hand in all of what `svc audit verify` printed as its head.',
    });
  }
  return noted;
}
