// References of agent.yaml and of configs. Each is resolved once, at push or edit, and pinned; a deploy checks that all of them are
// unchanged. An agent, an orchestration or a label of a prompt is pinned by its id alone: it changes by governed changes of its own. Must never happen: an answer
// that reveals an asset that the caller may not read.
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import {
  parseAnyRef,
  parseLabelRef,
  parseRef,
  parseVersionRef,
  printRef,
  printVersionRef,
  type AssetRef,
  type LabelRef,
  type VersionRef,
} from '@gantry/contract/refs.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { canRead, decide } from '../../../governance/access/decide.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { changesAlone, isDeployedAlone, type Pin } from '../content.ts';
import * as contents from '../content-store.ts';
import { findAsset, findVersion, type AssetRecord } from '../find.ts';
import { labelNow } from '../prompt-label-store.ts';
import { faultOf } from '../read-config.ts';
import type { Reference, References } from './references.ts';
import * as stored from './reference-store.ts';
import * as store from '../store.ts';
import { pinnedList } from '../tool-list-store.ts';

/** Throws `reference_missing` with every reference that cannot be resolved. */
export async function pinReferences(db: Reader, caller: Caller, { self, references }: References): Promise<Pin[]> {
  const faults: Fault[] = [];
  const pins = new Map<string, Pin>();
  for (const reference of references) {
    const pin = await pinOne(db, caller, self, reference);
    if ('message' in pin) faults.push(pin);
    else pins.set(pin.ref, pin);
  }
  if (faults.length > 0) throw missing(faults);
  return [...pins.values()].toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** Without an `onChanged`, a changed reference is refused. */
interface WhenChanged {
  onChanged?: (sentence: string) => void;
}

/** Throws `reference_changed` or `reference_missing` with every changed or unusable reference. */
export async function checkReferences(
  db: Reader,
  version: { digest: string },
  { onChanged }: WhenChanged = {},
): Promise<Pin[]> {
  const pins = await contents.pinsOf(db, version.digest);
  const current = new Map(
    (
      await store.currentVersions(
        db,
        pins.map((pin) => pin.asset_id),
      )
    ).map((row) => [row.asset_id, row]),
  );
  const gone = pins.filter((pin) => !current.has(pin.asset_id));
  if (gone.length > 0)
    throw missing(
      gone.map((pin) => ({
        message: `${pin.ref} no longer exists; it was ${pin.ref}@${pin.version} at the push`,
      })),
    );
  const changed = pins.filter((pin) => !isSettled(pin) && current.get(pin.asset_id)?.digest !== pin.digest);
  const [first] = changed;
  if (first === undefined) return await usable(db, pins);
  const errors = changed.map(({ ref, asset_id, version: before }) => {
    const after = current.get(asset_id)?.version ?? null;
    const message = `${ref} was ${before} at the push and is now ${after ?? 'gone'}, with other content`;
    return { message, ref, before, after };
  });
  if (onChanged !== undefined) {
    for (const { message } of errors) onChanged(message);
    return await usable(db, pins);
  }
  throw new Problem('reference_changed', { detail: `${errors.map((fault) => fault.message).join('. ')}.`, errors });
}

/** A newer version of its target does not change it. A version that agent.yaml names is final, so its content stays. */
const isSettled = (pin: Pin): boolean => changesAlone(pin) || parseVersionRef(pin.ref) !== undefined;

/** The same in the transaction that starts a version. Its references cannot be removed until that ends. */
export async function holdReferences(tx: Reader, version: { digest: string }, when: WhenChanged = {}): Promise<void> {
  const pins = await contents.pinsOf(tx, version.digest);
  await stored.holdAssets(
    tx,
    pins.map((pin) => pin.asset_id),
  );
  await checkReferences(tx, version, when);
}

async function pinOne(db: Reader, caller: Caller, self: AssetRef, reference: Reference): Promise<Pin | Fault> {
  const { ref, pointer, file, unfit } = reference;
  const fault = (message: string): Fault => ({ pointer, message, ...(file === undefined ? {} : { file }) });
  const exact = parseVersionRef(ref);
  const labelled = parseLabelRef(ref);
  const parsed = exact ?? labelled ?? parseRef(ref);
  if (parsed === undefined) return fault(`${ref} is not a reference`);
  if (parsed.kind === self.kind && parsed.name === self.name) return fault(`${ref} is the ${self.kind} itself`);
  const asset = await findAsset(db, parsed.kind, parsed.name, caller);
  const current = asset && (await store.currentVersions(db, [asset.id]))[0];
  if (asset === undefined || current === undefined || !canRead(caller, asset))
    return fault(`There is no ${printRef(parsed)} that you may read`);
  if (!decide(caller, 'asset.invoke', asset).allowed)
    return fault(`You may read ${asset.ref}, but not use it. Ask ${asset.owner} for the permission to use it`);
  const found = await namedVersion(db, asset, { exact, labelled, current });
  if ('missing' in found) return fault(found.missing);
  const { version, digest } = found;
  const pin = { ref: printPinned(asset.ref, { exact, labelled }), asset_id: asset.id, version, digest };
  if (parsed.kind === 'agent' || isDeployedAlone(pin)) return pin;
  const config = await contents.config(db, digest);
  const wrong = unusable(parsed.kind, pin, config) ?? unfit?.(config, asset.ref);
  if (wrong !== undefined) return fault(wrong);
  const tools = parsed.kind === 'mcp-server' ? await pinnedList(db, pin) : undefined;
  return { ...pin, ...(tools !== undefined && { tools: tools.digest }) };
}

interface Named {
  exact: VersionRef | undefined;
  labelled: LabelRef | undefined;
}

async function namedVersion(
  db: Reader,
  { id, ref, name }: AssetRecord,
  { exact, labelled, current }: Named & { current: { version: string; digest: string } },
): Promise<{ version: string; digest: string } | { missing: string }> {
  if (exact !== undefined)
    return (await findVersion(db, id, exact.version)) ?? { missing: `${ref} has no version ${exact.version}` };
  if (labelled === undefined) return current;
  const missing = `${ref} has no label ${labelled.label}. Set it: svc prompt label ${name} ${labelled.label} <version>`;
  return (await labelNow(db, { asset_id: id, label: labelled.label })) ?? { missing };
}

const printPinned = (ref: string, { exact, labelled }: Named): string =>
  exact === undefined ? (labelled === undefined ? ref : `${ref}@${labelled.label}`) : printVersionRef(exact);

// The rules may have become stricter since that version was made.
async function usable(db: Reader, pins: Pin[]): Promise<Pin[]> {
  const faults: Fault[] = [];
  for (const pin of pins) {
    const kind = parseAnyRef(pin.ref)?.kind;
    if (kind === undefined || kind === 'agent' || isDeployedAlone(pin)) continue;
    const message = unusable(kind, pin, await contents.config(db, pin.digest));
    if (message !== undefined) faults.push({ message });
  }
  if (faults.length > 0) throw missing(faults);
  return pins;
}

function unusable(kind: ConfiguredKind, { ref, version }: Pin, config: Record<string, unknown>): string | undefined {
  const fault = faultOf(kind, config);
  return fault === undefined
    ? undefined
    : `The config of ${ref}@${version} is no longer accepted (${fault}). ${kind === 'skill' ? 'Push it again: svc skill push' : `Change it: svc registry ${kind} edit`}`;
}

function missing(faults: Fault[]): Problem {
  return new Problem('reference_missing', {
    detail: `${faults.map((fault) => fault.message).join('. ')}.`,
    errors: faults,
  });
}
