// References of agent.yaml against the registry. At push each is resolved once and pinned; a deploy asks whether all of them are still
// what was pinned. Must never happen: an answer that tells someone whether an asset exists that they may not read.
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import { parseRef, printRef } from '@gantry/contract/refs.ts';
import type { Caller } from '../access/caller.ts';
import { canRead, decide } from '../access/decide.ts';
import type { Reader } from '../database/database.ts';
import type { Pin } from './content.ts';
import * as contents from './content-store.ts';
import { findAsset } from './find.ts';
import * as store from './store.ts';

interface Reference {
  ref: string;
  pointer: string;
}

/** Throws reference_missing with every reference that cannot be resolved. */
export async function pinReferences(db: Reader, caller: Caller, config: AgentConfig): Promise<Pin[]> {
  const faults: Fault[] = [];
  const pins = new Map<string, Pin>();
  for (const reference of referencesOf(config)) {
    const pin = await pinOne(db, caller, config, reference);
    if ('message' in pin) faults.push(pin);
    else pins.set(pin.ref, pin);
  }
  if (faults.length > 0) throw missing(faults);
  return [...pins.values()].toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** Throws reference_changed or reference_missing with every reference that is no longer what was pinned. */
export async function checkReferences(db: Reader, version: { digest: string }): Promise<Pin[]> {
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
        message: `${pin.ref} is not there any more; it was ${pin.ref}@${pin.version} when this was pushed`,
      })),
    );
  const changed = pins.filter((pin) => current.get(pin.asset_id)?.digest !== pin.digest);
  const [first] = changed;
  if (first === undefined) return pins;
  const errors = changed.map(({ ref, asset_id, version: before }) => {
    const after = current.get(asset_id)?.version ?? null;
    const message = `${ref} was ${before} when this was pushed and is ${after ?? 'gone'} now, with other content`;
    return { message, ref, before, after };
  });
  throw new Problem('reference_changed', { detail: `${errors.map((fault) => fault.message).join('. ')}.`, errors });
}

function referencesOf(config: AgentConfig): Reference[] {
  const lists = {
    tools: config.tools,
    subagents: config.subagents,
    knowledge_bases: config.knowledge_bases,
    mcp_servers: config.mcp_servers,
  };
  return Object.entries(lists).flatMap(([field, entries]) =>
    (entries ?? []).flatMap((entry, index) =>
      'ref' in entry ? [{ ref: entry.ref, pointer: `/${field}/${index}` }] : [],
    ),
  );
}

async function pinOne(
  db: Reader,
  caller: Caller,
  config: AgentConfig,
  { ref, pointer }: Reference,
): Promise<Pin | Fault> {
  const fault = (message: string): Fault => ({ pointer, message, file: 'agent.yaml' });
  const parsed = parseRef(ref);
  if (parsed === undefined) return fault(`${ref} is not a reference`);
  if (parsed.kind === 'agent' && parsed.name === config.name) return fault(`${ref} is the agent itself`);
  const asset = await findAsset(db, parsed.kind, parsed.name);
  const current = asset && (await store.currentVersions(db, [asset.id]))[0];
  if (asset === undefined || current === undefined || !canRead(caller, asset))
    return fault(`There is no ${printRef(parsed)} that you may read`);
  if (!decide(caller, 'asset.invoke', asset).allowed)
    return fault(`You may read ${asset.ref}, but not use it; ask ${asset.owner} for the use permission`);
  return { ref: asset.ref, asset_id: asset.id, version: current.version, digest: current.digest };
}

function missing(faults: Fault[]): Problem {
  return new Problem('reference_missing', {
    detail: `${faults.map((fault) => fault.message).join('. ')}.`,
    errors: faults,
  });
}
