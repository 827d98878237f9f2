#!/usr/bin/env node
// @ts-check
// oxlint-disable max-lines -- it must be one file Verifies the audit log of a Gantry installation without service, database or package. One
// file, for Node 20.12 or newer.
//
//   node verify.mjs log.ndjson --pubkey checkpoint-key.pub [--anchor anchor.ndjson]
//   node verify.mjs proof.json --pubkey checkpoint-key.pub
//
// The log comes from `svc audit export`, the proof from `svc audit prove`. The public key and the anchor must come from a place that the
// log's keepers cannot change. The anchor is the file of AUDIT_ANCHOR_FILE, or an earlier copy of checkpoints. Exit 0: true, as anchored.
// 1: damaged, with kind and place. 2: used wrongly, or an unreadable file. 4: everything holds, but without an anchor the end may be
// missing. The service verifies with these same functions, on the rows of its database,
// and the console on an export, in the browser.
//
// Each entry's hash covers its content and the previous hash. It is also a leaf of a Merkle tree (RFC 6962: 0x00 before a leaf, 0x01 before
// a node). A checkpoint is a note (C2SP tlog-checkpoint, signed-note; Ed25519) that names a chain, its size and that tree's root.
import { createPublicKey, hash as digest, verify as signatureHolds } from 'node:crypto';
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * @typedef {{ chain: string, seq: number, occurred_at: string, body: string, prev: string, hash: string }} Entry hashes in hex
 * @typedef {{ chain: string, size: number, root: string, time: string, previous: string, head: string, hash: string, text: string }} Note
 * @typedef {{ chain: string, seq: number | null, kind: string, detail: string }} Finding
 * @typedef {{ kind: 'proof', entry: Entry, checkpoint: string, path: string[] }} Proof
 * @typedef {{ kind: 'entry' } & Entry} EntryLine
 * @typedef {{ kind: 'checkpoint', chain: string, note: string }} CheckpointLine
 * @typedef {import('node:crypto').KeyObject} Key
 */

const most_findings = 100;
// Canonical JSON has ordered members, so a heartbeat has a known beginning; searching every text would cost a tenth.
const heartbeat = '{"actor":{"id":null,"kind":"system","name":"system.heartbeat"}';
const scratch = { bytes: Buffer.alloc(65_536) };

/** SHA-256 in hex over 0x00, the previous hash, and chain, number, time and body, each after its length. @param {Omit<Entry, 'hash'>} entry */
export function entryHash({ chain, seq, occurred_at, body, prev }) {
  const most = 1 + 32 + 4 * 4 + 8 + 3 * (chain.length + occurred_at.length + body.length);
  if (scratch.bytes.length < most) scratch.bytes = Buffer.alloc(most * 2);
  const { bytes } = scratch;
  bytes[0] = 0;
  let end = 1 + bytes.write(prev, 1, 'hex');
  /** @param {string} text */
  const part = (text) => {
    const length = bytes.write(text, end + 4, 'utf8');
    bytes.writeUInt32BE(length, end);
    end += 4 + length;
  };
  part(chain);
  bytes.writeUInt32BE(8, end);
  bytes.writeUInt32BE(Math.floor(seq / 2 ** 32), end + 4);
  bytes.writeUInt32BE(seq % 2 ** 32, end + 8);
  end += 12;
  part(occurred_at);
  part(body);
  return digest('sha256', bytes.subarray(0, end));
}

/** The previous hash of a chain's first entry. @param {string} chain */
export const genesisHash = (chain) => digest('sha256', chain);

const pair = Buffer.alloc(65, 1);

/** @param {string} left @param {string} right */
export function nodeHash(left, right) {
  pair.write(left, 1, 'hex');
  pair.write(right, 33, 'hex');
  return digest('sha256', pair);
}

/**
 * A Merkle tree as its peaks: the roots of its full subtrees, largest first. To grow, it needs only these.
 * @param {number} [size] @param {string[]} [peaks]
 */
export function openTree(size = 0, peaks = []) {
  const heights = Array.from(size.toString(2)).flatMap((bit, n, bits) => (bit === '1' ? [bits.length - 1 - n] : []));
  if (heights.length !== peaks.length) throw new Error(`a tree of ${size} leaves has ${heights.length} peaks`);
  const kept = [...peaks];
  return {
    /** @param {string} leaf */
    add(leaf) {
      let hash = leaf;
      let height = 0;
      for (; heights.at(-1) === height; height++) {
        hash = nodeHash(kept.pop() ?? '', hash);
        heights.pop();
      }
      kept.push(hash);
      heights.push(height);
    },
    peaks: () => [...kept],
    root: () => (kept.length === 0 ? digest('sha256', '') : kept.reduceRight((right, left) => nodeHash(left, right))),
  };
}

/**
 * The checkpoint, or undefined when it is invalid or not signed by this key. `vouched` is the hash that a signed checkpoint names as its
 * predecessor. It is as good as a signature, and cheaper.
 * @param {string} text
 * @param {Key} key
 * @param {string} [vouched]
 * @returns {Note | undefined}
 */
export function readNote(text, key, vouched) {
  const parts =
    /^(\S+\/([a-z]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\ntime (\S+)\nprevious (none|[0-9a-f]{64})\nhead ([0-9a-f]{64})\n)\n— (\S+) (\S+)\n$/.exec(
      text,
    );
  if (parts === null) return undefined;
  const [, signed = '', chain = '', size, root = '', time = '', previous = '', head = '', name = '', signature = ''] =
    parts;
  const hash = digest('sha256', text);
  const bytes = Buffer.from(signature, 'base64');
  if (name !== signed.split('\n')[0] || bytes.subarray(0, 4).toString('hex') !== keyId(name, key)) return undefined;
  if (hash !== vouched && !signatureHolds(null, Buffer.from(signed), key, bytes.subarray(4))) return undefined;
  const found = { chain, size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
  return { ...found, time, previous, head, hash, text };
}

/** Eight hex digits that identify the signing key (C2SP signed-note). @param {string} name @param {Key} key */
export function keyId(name, key) {
  const raw = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  return digest('sha256', Buffer.concat([Buffer.from(`${name}\n\x01`), raw])).slice(0, 8);
}

/**
 * Checks one chain: `entry` for each of its entries in order, then `end`. A finding is damage, or a notice about an intact log.
 * @param {{
 *   chain: string,
 *   key: Key,
 *   checkpoints: { size: number, text: string }[],
 *   anchors?: { from: string, text: string, near?: boolean }[],
 *   marks?: { seq: number, body: string }[],
 *   noted?: { seq: number, hash: string } | undefined,
 * }} given `checkpoints` by size, as stored beside the entries; `near` anchors are beside the key, and prove nothing by themselves; `marks`
 * are the entries `<chain>.pruned` and `<chain>.resealed`
 */
export function checkChain({ chain, key, checkpoints, anchors = [], marks = [], noted }) {
  /** @type {Finding[]} */
  const damage = [];
  /** @type {Finding[]} */
  const notices = [];
  /** @param {string} kind @param {number} seq @param {string} detail */
  const broken = (kind, seq, detail) =>
    void (damage.length < most_findings && damage.push({ chain, seq, kind, detail }));
  /** @param {string} kind @param {number} seq @param {string} detail */
  const notice = (kind, seq, detail) =>
    void (notices.length < most_findings && notices.push({ chain, seq, kind, detail }));

  const own = /** @type {Note[]} */ ([]);
  for (const { size, text } of checkpoints.toReversed()) {
    const note = readNote(text, key, own.at(-1)?.previous);
    if (note?.chain === chain && note.size === size) own.push(note);
    else broken('checkpoint_edited', size, `The checkpoint at ${size} does not match its signature.`);
  }
  own.reverse();
  const known = new Map(own.map((note) => [note.text, note]));
  const allSigned = damage.length === 0;
  const reseals = readReseals({ chain, key, marks, own });
  for (const { seq, lost, kept, reason } of reseals)
    notice(
      'discontinuity',
      seq,
      `The log was restored: the entries after ${kept} that were signed up to ${lost.size} by ${lost.time} are lost. Reason: ${reason}`,
    );
  for (const [n, note] of own.entries()) {
    const before = own[n - 1];
    const follows =
      note.previous === (before?.hash ?? 'none') || reseals.some(({ lost }) => lost.hash === note.previous);
    if (!follows && allSigned)
      broken(
        'checkpoint_missing',
        before?.size ?? 0,
        `Between the checkpoints at ${before?.size ?? 0} and ${note.size} one is missing.`,
      );
  }
  const witnessed = anchors.flatMap(({ from, text, near }) => {
    const note = known.get(text) ?? readNote(text, key);
    if (note === undefined)
      broken('anchor_edited', claimedSize(text), `A checkpoint in ${from} does not match its signature.`);
    if (note?.chain !== chain || reseals.some(({ lost, kept }) => note.size > kept && note.time <= lost.time))
      return [];
    return [{ note, from, near }];
  });
  const due = /** @type {Map<number, { note: Note, from: string, near?: boolean | undefined }[]>} */ (new Map());
  for (const each of [...own.map((note) => ({ note, from: '', near: true })), ...witnessed])
    due.set(each.note.size, [...(due.get(each.note.size) ?? []), each]);

  const start = prunedStart({ chain, key, marks });
  if (start.seq > 0)
    notice('pruned', start.mark, `Entries up to ${start.seq} were pruned under a signed root: ${start.reason}`);
  const tree = openTree(start.seq, start.peaks);
  const last = { seq: start.seq, hash: start.head, occurred_at: '', bad: false };
  const bad = /** @type {Entry[]} */ ([]);
  const held = { signed: 0, anchored: 0, noted: false };
  let comparable = true; // the tree is not known to be wrong
  let disturbed = false; // an entry is known to be changed or missing
  let beat = { at: NaN, every_ms: 0 };
  compare();

  function compare() {
    if (noted?.seq === last.seq) held.noted = noted.hash === last.hash;
    const notes = due.get(last.seq);
    if (notes === undefined || !comparable) return;
    const root = tree.root();
    const others = notes.filter(({ note }) => note.root !== root || note.head !== last.hash);
    if (others.length === 0) {
      held.signed = last.seq;
      if (notes.some(({ near }) => near !== true)) held.anchored = last.seq;
      return;
    }
    comparable = false;
    if (disturbed) return;
    const source = others[0]?.from || 'the signed checkpoint';
    const rewritten = checkpoints.some(({ size }) => size >= last.seq);
    const where = `after entry ${held.signed}, and at ${last.seq} at the latest, it contradicts ${source}`;
    broken(
      rewritten ? 'rehash' : 'rollback',
      held.signed + 1,
      `${rewritten ? 'The chain was rewritten' : 'The log was rolled back and continued'}: ${where}.`,
    );
  }

  /** @param {Entry} entry */
  function entry(entry) {
    const { seq, prev, occurred_at } = entry;
    if (seq <= start.seq) return;
    const holds = entryHash(entry) === entry.hash;
    disturbed ||= !holds || seq !== last.seq + 1 || prev !== last.hash;
    if (seq <= last.seq) return broken('insert', seq, `There is a second entry ${seq}.`);
    if (seq > last.seq + 1) {
      const gone = seq === last.seq + 2 ? `Entry ${last.seq + 1} is` : `Entries ${last.seq + 1} to ${seq - 1} are`;
      broken('delete', last.seq + 1, `${gone} missing.`);
      comparable = false;
    } else if (holds && prev !== last.hash && !last.bad) {
      const replaced = Math.max(last.seq, start.seq + 1);
      broken('edit', replaced, `Entry ${replaced} was replaced, and got a matching hash.`);
      comparable = false;
    }
    if (!holds && bad.length < most_findings) bad.push(entry);
    if (occurred_at < last.occurred_at)
      notice(
        'time_regression',
        seq,
        `Entry ${seq} says ${occurred_at}, the one before it ${last.occurred_at}: the clock was set back.`,
      );
    if (holds && entry.body.startsWith(heartbeat)) hear(entry);
    last.seq = seq;
    last.hash = entry.hash;
    last.occurred_at = occurred_at;
    last.bad = !holds;
    tree.add(entry.hash);
    compare();
  }

  /** @param {Entry} entry */
  function hear({ seq, occurred_at, body }) {
    const at = Date.parse(occurred_at);
    if (at - beat.at > 2 * beat.every_ms)
      notice(
        'silence',
        seq,
        `No heartbeat for ${Math.round((at - beat.at) / 60_000)} minutes before entry ${seq}: the service was down, or silenced.`,
      );
    beat = { at, every_ms: Number(contentOf(body).detail.interval_seconds) * 1000 };
  }

  /** `head` is the end of the chain according to the database. @param {{ seq: number, hash: string }} [head] */
  function end(head) {
    for (const { kind, seq, detail } of explain(bad)) broken(kind, seq, detail);
    const renumbered = damage.some(({ kind, seq }) => kind === 'delete' && bad.some((entry) => entry.seq === seq));
    const reach = Math.max(head?.seq ?? 0, own.at(-1)?.size ?? 0);
    if (reach > last.seq && !renumbered)
      broken('truncation', last.seq + 1, `Entries ${last.seq + 1} to ${reach} are missing: the end was cut off.`);
    if (head?.seq === last.seq && head.hash !== last.hash && !last.bad)
      broken('head_mismatch', last.seq, `The head of the chain is not its last entry, ${last.seq}.`);
    if (head !== undefined && head.seq < last.seq)
      broken('insert', head.seq + 1, `Entries after ${head.seq} were not written through the log.`);
    const ahead = witnessed.filter(({ note }) => note.size > last.seq);
    const whole = comparable && reach <= last.seq;
    if (ahead[0] !== undefined && whole)
      broken(
        'rollback',
        held.signed + 1,
        `The log was rolled back: it ends with ${last.seq}, ${ahead[0].from} reaches ${ahead[0].note.size}, and up to ${held.signed} they agree.`,
      );
    const lost = witnessed.find(({ note }) => note.size <= last.seq && !known.has(note.text));
    if (lost !== undefined && allSigned && comparable)
      broken(
        'checkpoint_missing',
        lost.note.size,
        `The checkpoint at ${lost.note.size} is in ${lost.from} and missing beside the log.`,
      );
    if (noted !== undefined && !held.noted && noted.seq >= start.seq) miss(noted);
    return { entries: last.seq, head: last.hash, ...held, damage, notices };
  }

  /** @param {{ seq: number }} noted */
  function miss({ seq }) {
    const restored = reseals.find(({ lost, kept }) => seq > kept && seq <= lost.size);
    if (restored !== undefined)
      return notice('discontinuity', restored.seq, `The noted head ${chain}:${seq} is among the lost entries.`);
    if (damage.length === 0)
      broken(
        seq > last.seq ? 'rollback' : 'rehash',
        Math.min(seq, last.seq + 1),
        `The noted head ${chain}:${seq} is not in the chain: the chain was rolled back or rewritten.`,
      );
  }

  return { entry, end };
}

/** The content of an entry; empty when it is unreadable. @param {string} body @returns {{ event: string, detail: Record<string, unknown> }} */
function contentOf(body) {
  try {
    const content = /** @type {{ event?: string, detail?: Record<string, unknown> }} */ (JSON.parse(body));
    return { event: String(content.event), detail: content.detail ?? {} };
  } catch {
    return { event: '', detail: {} };
  }
}

/** @param {Note} note @param {string[]} peaks */
function isRootOf({ size, root }, peaks) {
  try {
    return openTree(size, peaks).root() === root;
  } catch {
    // Not as many peaks as such a tree has.
    return false;
  }
}

/** @param {string} text */
const claimedSize = (text) => Number(/\n(\d{1,15})\n/.exec(text)?.[1] ?? 0);

/**
 * When the log no longer reaches a checkpoint, only the key's holder can continue from there.
 * @param {{ chain: string, key: Key, marks: { seq: number, body: string }[], own: Note[] }} given
 */
function readReseals({ chain, key, marks, own }) {
  return marks.flatMap(({ seq, body }) => {
    const { event, detail } = contentOf(body);
    const lost = event === `${chain}.resealed` ? readNote(String(detail.lost), key) : undefined;
    if (lost === undefined || !own.some((note) => note.previous === lost.hash && note.size >= seq)) return [];
    return [{ seq, lost, kept: Number(detail.kept), reason: String(detail.reason) }];
  });
}

/** @param {{ chain: string, key: Key, marks: { seq: number, body: string }[] }} given */
function prunedStart({ chain, key, marks }) {
  for (const { seq, body } of marks.toReversed()) {
    const { event, detail } = contentOf(body);
    const note = event === `${chain}.pruned` ? readNote(String(detail.checkpoint), key) : undefined;
    const peaks = Array.isArray(detail.peaks) ? detail.peaks.map(String) : [];
    if (note?.chain !== chain || !isRootOf(note, peaks)) continue;
    return {
      seq: note.size,
      head: note.head,
      peaks,
      mark: seq,
      reason: String(detail.reason),
    };
  }
  return { seq: 0, head: genesisHash(chain), peaks: [], mark: 0, reason: '' };
}

/**
 * The kind of damage of entries that do not match their hash. A moved entry still matches under its earlier number.
 * @param {Entry[]} bad
 */
function explain(bad) {
  const near = bad.slice(0, most_findings);
  const homes = new Map(near.flatMap((entry) => homeOf(entry, near)));
  const moved = new Set([...homes.keys(), ...exchanged(near)]);
  const first = Math.min(...homes.keys());
  const shifted = homes.size > 0 && homes.size !== new Set([...homes.keys(), ...homes.values()]).size;
  const findings = [];
  if (shifted && Number(homes.get(first)) > first)
    findings.push({
      kind: 'delete',
      seq: first,
      detail: `Entry ${first} is missing, and the later entries were renumbered.`,
    });
  else if (shifted)
    findings.push({
      kind: 'insert',
      seq: first - 1,
      detail: `Before entry ${first} one was inserted, and the later entries were renumbered.`,
    });
  for (const { seq } of near) {
    if (moved.has(seq) && !shifted)
      findings.push({ kind: 'reorder', seq, detail: `Entry ${seq} was exchanged with another.` });
    else if (!moved.has(seq))
      findings.push({ kind: 'edit', seq, detail: `Entry ${seq} was changed after it was written.` });
  }
  return findings;
}

/** @param {Entry} entry @param {Entry[]} near @returns {[number, number][]} */
function homeOf(entry, near) {
  const numbers = [...near.map(({ seq }) => seq), entry.seq + 1, entry.seq - 1];
  const home = numbers.find((seq) => seq > 0 && entryHash({ ...entry, seq }) === entry.hash);
  return home === undefined ? [] : [[entry.seq, home]];
}

/** Entries with the content of another one. @param {Entry[]} near */
function exchanged(near) {
  return near.flatMap((entry) =>
    near.some(({ occurred_at, body }) => entryHash({ ...entry, occurred_at, body }) === entry.hash) ? [entry.seq] : [],
  );
}

/**
 * The fault of an entry that is not in the tree of a signed checkpoint; else undefined (RFC 9162, 2.1.3.2).
 * @param {{ entry: Entry, checkpoint: string, path: string[] }} proof
 * @param {Key} key
 */
export function checkProof({ entry, checkpoint, path }, key) {
  const note = readNote(checkpoint, key);
  if (note === undefined) return 'this key has not signed the checkpoint';
  if (entryHash(entry) !== entry.hash) return 'the entry does not match its hash';
  if (note.chain !== entry.chain) return 'the checkpoint is of another chain';
  let [index, end, hash] = [entry.seq - 1, note.size - 1, entry.hash];
  if (!(index >= 0 && index <= end)) return 'the checkpoint does not reach the entry';
  for (const sibling of path) {
    if (end === 0) return 'the path is too long';
    if (index % 2 === 1 || index === end) {
      hash = nodeHash(sibling, hash);
      while (index % 2 === 0 && index !== 0) [index, end] = [index / 2, Math.floor(end / 2)];
    } else hash = nodeHash(hash, sibling);
    [index, end] = [Math.floor(index / 2), Math.floor(end / 2)];
  }
  return end === 0 && hash === note.root ? undefined : 'the path does not lead to the signed root';
}

/**
 * The lines of a file, or of a part of it, many at a time. Only line feeds end a line, because JSON can contain other line separators.
 * @param {string} file
 * @param {{ start?: number, end?: number }} [part] in bytes, `end` included
 */
export async function* linesOf(file, part = {}) {
  let rest = '';
  for await (const chunk of createReadStream(file, { ...part, encoding: 'utf8', highWaterMark: 262_144 })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}

/** @param {string} line */
const parse = (line) => /** @type {EntryLine | CheckpointLine | Proof} */ (JSON.parse(line));

/**
 * Checks every chain of an export. `lines` reads it from its beginning, `told` receives the number of entries so far.
 * @param {{
 *   lines: () => AsyncIterable<string[]>,
 *   key: Key,
 *   anchor?: { name: string, lines: () => AsyncIterable<string[]> } | undefined,
 *   told?: (entries: number) => void,
 * }} given
 */
export async function checkLog({ lines: read, key, anchor, told }) {
  const kept = await readBefore(read());
  const anchors = anchor === undefined ? [] : (await readBefore(anchor.lines())).checkpoints;
  const checks = /** @type {Map<string, ReturnType<typeof checkChain>>} */ (new Map());
  /** @param {string} chain */
  function open(chain) {
    const own = kept.checkpoints
      .filter((line) => line.chain === chain)
      .map(({ note }) => ({ size: claimedSize(note), text: note }));
    const check = checkChain({
      chain,
      key,
      checkpoints: own.toSorted((a, b) => a.size - b.size),
      anchors: anchors
        .filter((line) => line.chain === chain)
        .map(({ note }) => ({ from: String(anchor?.name), text: note })),
      marks: kept.marks.filter((entry) => entry.chain === chain),
    });
    checks.set(chain, check);
    return check;
  }
  // Also chains without a remaining entry.
  for (const { chain } of [...kept.checkpoints, ...anchors]) if (!checks.has(chain)) open(chain);
  let entries = 0;
  for await (const lines of read()) {
    for (const text of lines) {
      if (text === '') continue;
      const line = parse(text);
      if (line.kind !== 'entry') continue;
      (checks.get(line.chain) ?? open(line.chain)).entry(line);
      entries += 1;
    }
    told?.(entries);
  }
  return [...checks].map(([chain, check]) => ({ chain, ...check.end() }));
}

/**
 * Only a copy from outside shows that no entries are missing at the end.
 * @param {Awaited<ReturnType<typeof checkLog>>} chains
 */
export function verdictOf(chains) {
  if (chains.some(({ damage }) => damage.length > 0)) return 'damaged';
  const isAnchored = chains.length > 0 && chains.every(({ anchored, entries }) => anchored > 0 || entries === 0);
  return isAnchored ? 'true_as_anchored' : 'unanchored';
}

/** The lines that are needed before the entries, even if they come later: a fraction of the file. @param {AsyncIterable<string[]>} log */
async function readBefore(log) {
  const checkpoints = /** @type {CheckpointLine[]} */ ([]);
  const marks = /** @type {EntryLine[]} */ ([]);
  for await (const lines of log)
    for (const text of lines) {
      if (!/"kind":\s*"checkpoint"|\.pruned\\"|\.resealed\\"/.test(text)) continue;
      const line = parse(text);
      if (line.kind === 'checkpoint') checkpoints.push(line);
      else if (line.kind === 'entry' && /"event":"[a-z]+\.(pruned|resealed)"/.test(line.body)) marks.push(line);
    }
  return { checkpoints, marks };
}

/** @param {string} text */
const print = (text) => void process.stdout.write(`${text}\n`);

async function main() {
  const options = /** @type {const} */ ({ pubkey: { type: 'string' }, anchor: { type: 'string' } });
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [file] = positionals;
  if (file === undefined || values.pubkey === undefined) throw new Error('A file and a public key are needed.');
  const key = createPublicKey(readFileSync(values.pubkey));
  const first = (await linesOf(file).next()).value?.[0] ?? '';
  const record = first === '' ? undefined : parse(first);
  if (record?.kind === 'proof') return printProof(record, key);
  const name = values.anchor;
  const anchor = name === undefined ? undefined : { name, lines: () => linesOf(name) };
  return printVerdict(await checkLog({ lines: () => linesOf(file), key, anchor }));
}

/** @param {Proof} proof @param {Key} key */
function printProof(proof, key) {
  const fault = checkProof(proof, key);
  print(
    fault === undefined ? `true: ${proof.entry.chain}/${proof.entry.seq} is in the log as signed` : `false: ${fault}`,
  );
  return fault === undefined ? 0 : 1;
}

/** @param {Awaited<ReturnType<typeof checkLog>>} chains */
function printVerdict(chains) {
  for (const { chain, entries, signed, anchored, damage, notices } of chains) {
    print(`${chain}: up to entry ${entries}, signed up to ${signed}, anchored up to ${anchored}`);
    for (const { seq, kind, detail } of damage) print(`  DAMAGED ${chain}/${seq} ${kind}: ${detail}`);
    for (const { seq, kind, detail } of notices) print(`  notice ${chain}/${seq} ${kind}: ${detail}`);
  }
  const { text, exit } = {
    damaged: { text: 'damaged', exit: 1 },
    true_as_anchored: { text: 'true as anchored', exit: 0 },
    unanchored: { text: 'everything holds, but without an anchor the end may be missing', exit: 4 },
  }[verdictOf(chains)];
  print(text);
  return exit;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  // An unreadable file proves neither that the log is true nor that it is damaged.
  process.exitCode = await main().catch((/** @type {Error} */ error) => {
    const usage = 'Usage: node verify.mjs <log.ndjson | proof.json> --pubkey <file> [--anchor <file>]';
    process.stderr.write(`${error.message}\n${usage}\n`);
    return 2;
  });
