// The tools of a version of an MCP server: what is pinned, what the server lists now, and a person's decision to pin it.
import { shares } from '@gantry/project/asset-config/mcp-server.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import type { ServerTools, ToolDefinition } from '@gantry/contract/assets/tools.ts';
import { z } from 'zod';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { AssetRecord } from '../asset.ts';
import { holdAsset, loadAsset } from '../load-asset.ts';
import { loadVersion } from '../versions/load-version.ts';
import { compareLists, type ListDifference, type ListedPrompt, type ListedTool, type ToolList } from './tool-list.ts';
import { pinnedContents } from '../hosted-image-store.ts';
import * as store from '../tool-list-store.ts';

export interface NamedServer {
  name: string;
  /** The newest when undefined. */
  version?: string | undefined;
}

export interface ServerVersion {
  asset: AssetRecord;
  version: string;
  config: Record<string, unknown>;
}

/** Throws `not_found`. */
export async function loadServer(
  db: Reader,
  caller: Caller,
  { name, version = 'latest' }: NamedServer,
): Promise<ServerVersion> {
  const asset = await loadAsset(db, { kind: 'mcp-server', name }, caller);
  authorize(caller, 'asset.read', asset);
  const { row, content } = await loadVersion(db, asset, version);
  return { asset, version: row.version, config: content.config };
}

/** The containers of a hosted server that run now. A higher folder has them. */
export type CountContainers = (db: Reader, of: store.OfServer) => Promise<number>;

interface ShowingParts<Db extends Reader> {
  db: Db;
  countContainers: CountContainers;
}

export async function showServerTools(
  parts: ShowingParts<Reader>,
  caller: Caller,
  named: NamedServer,
): Promise<ServerTools> {
  return await serverTools(parts, await loadServer(parts.db, caller, named));
}

/** Throws `tools_changed` for a digest that the server has not listed last. A pin of the same list changes nothing. */
export async function pinServerTools(
  { db, countContainers }: ShowingParts<Database>,
  caller: Caller,
  { digest, ...named }: NamedServer & { digest: string },
): Promise<ServerTools> {
  const user = signedIn(caller);
  const server = await loadServer(db, caller, named);
  const grant = authorize(user, 'tools.pin', server.asset);
  const of = { asset_id: server.asset.id, version: server.version };
  await change(db, grant, 'tools.pinned', async (tx, note) => {
    // The asset may have been transferred since the decision.
    authorize(user, 'tools.pin', await holdAsset(tx, of.asset_id, caller));
    const seen = await store.newestList(tx, of);
    if (seen?.digest !== digest)
      throw new Problem('tools_changed', {
        detail:
          seen === undefined
            ? `${server.asset.ref}@${of.version} was never asked for its tools.`
            : `The newest list of ${server.asset.ref}@${of.version} is ${seen.digest}.`,
      });
    const before = await store.pinnedList(tx, of);
    if (before?.digest === digest) return;
    await store.putPin(tx, { ...of, list_id: seen.id, pinned_by: user.label });
    note({ version: of.version, digest, before: before?.digest ?? null, ...names(before, seen) });
  });
  return await serverTools({ db, countContainers }, server);
}

export async function serverTools(
  { db, countContainers }: ShowingParts<Reader>,
  { asset, version, config }: ServerVersion,
): Promise<ServerTools> {
  const of = { asset_id: asset.id, version };
  const [pinned, seen, hosted] = await Promise.all([
    store.pinnedList(db, of),
    store.newestList(db, of),
    hostedServer({ db, countContainers }, of, config),
  ]);
  const { added, removed, changed } = seen === undefined ? nothing : differenceOf(pinned, seen);
  return {
    ref: printVersionRef({ kind: 'mcp-server', name: asset.name, version }),
    hosted,
    pinned:
      pinned === undefined
        ? null
        : {
            digest: pinned.digest,
            by: pinned.pinned_by,
            at: pinned.pinned_at,
            tools: entriesOf(pinned),
          },
    seen: seen === undefined ? null : { digest: seen.digest, at: seen.seen_at },
    added,
    removed,
    changed,
  };
}

/** Null for a server with an address. */
async function hostedServer(
  { db, countContainers }: ShowingParts<Reader>,
  of: store.OfServer,
  config: Record<string, unknown>,
): Promise<ServerTools['hosted']> {
  const { success, data } = hostedConfig.safeParse(config);
  if (!success) return null;
  const [image, running] = await Promise.all([pinnedContents(db, of), countContainers(db, of)]);
  return { ...data, image: image?.digest ?? null, components: image?.components ?? [], running };
}

/** Of the config, which was checked when it was stored. */
const hostedConfig = z.object({
  package: z.string(),
  share: z.enum(shares).default('caller'),
  egress: z.array(z.string()).default([]),
});

type Lists = Pick<ToolList, 'tools' | 'prompts'>;

const nothing: ListDifference<ToolDefinition> = { added: [], removed: [], changed: [] };

/** Tools first. */
function differenceOf(before: Lists | undefined, after: Lists): ListDifference<ToolDefinition> {
  const tools = compareLists(before?.tools ?? [], after.tools);
  const prompts = compareLists(before?.prompts ?? [], after.prompts);
  return {
    added: entriesOf({ tools: tools.added, prompts: prompts.added }),
    removed: entriesOf({ tools: tools.removed, prompts: prompts.removed }),
    changed: [
      ...tools.changed.map(({ before: was, after: is }) => ({ before: entry('tool', was), after: entry('tool', is) })),
      ...prompts.changed.map(({ before: was, after: is }) => {
        return { before: entry('prompt', was), after: entry('prompt', is) };
      }),
    ],
  };
}

function entriesOf({ tools, prompts }: Lists): ToolDefinition[] {
  return [...tools.map((one) => entry('tool', one)), ...prompts.map((one) => entry('prompt', one))];
}

export function entry(
  kind: ToolDefinition['kind'],
  { name, description = '', ...definition }: ListedTool | ListedPrompt,
): ToolDefinition {
  return { kind, name, description, definition };
}

function names(before: Lists | undefined, after: Lists) {
  const { added, removed, changed } = differenceOf(before, after);
  const nameOf = ({ kind, name }: ToolDefinition) => (kind === 'tool' ? name : `prompt ${name}`);
  return {
    added: added.map(nameOf),
    removed: removed.map(nameOf),
    changed: changed.map(({ before: was }) => nameOf(was)),
  };
}
