// Rows → the wire's records.
import type { Permitted } from '@gantry/contract/can.ts';
import type {
  Asset,
  AssetDetail,
  AssetState,
  assetVersion,
  AssetVersionDetail,
} from '@gantry/contract/assets/registry.ts';
import { printRef, printVersionRef } from '@gantry/contract/refs.ts';
import type { z } from 'zod';
import type { Caller } from '../../../governance/access/caller.ts';
import { decide } from '../../../governance/access/decide.ts';
import type { AssetRecord } from '../asset.ts';
import type { Pin } from '../content.ts';
import type { ListedRow, VersionRow } from '../store.ts';

export function listedRecord(row: ListedRow): Asset {
  const {
    id,
    kind,
    name,
    team,
    owner,
    description,
    tags,
    framework,
    strategy,
    visibility,
    published,
    latest_version,
    serving_version,
    created_at,
    updated_at,
  } = row;
  const ref = printRef({ kind, name });
  return {
    id,
    kind,
    ref,
    name,
    team,
    owner,
    description,
    tags,
    framework,
    strategy,
    visibility,
    published,
    latest_version,
    serving_version,
    created_at,
    updated_at,
  };
}

export function assetStateRecord({ ref, team, owner, visibility, published }: AssetRecord): AssetState {
  return { ref, team: team.name, owner, visibility, published };
}

export interface DetailParts {
  versions: VersionRow[];
  /** Ids of versions whose present content is approved. */
  approved: ReadonlySet<string>;
  permissions: AssetDetail['permissions'];
  /** The config of the highest version. */
  config: Record<string, unknown> | null;
  /** By the state of the highest version. */
  submit: Permitted;
}

export function detailRecord(
  caller: Caller,
  asset: AssetRecord,
  { versions, approved, permissions, config }: DetailParts,
): Omit<AssetDetail, 'can'> {
  const { id, ref, name, owner, description, tags, framework, visibility, published, created_at, updated_at } = asset;
  const numbered = (version_id: string | null) =>
    versions.find((version) => version.id === version_id)?.version ?? null;
  return {
    id,
    kind: asset.asset_kind,
    ref,
    name,
    team: asset.team.name,
    owner,
    description,
    tags,
    framework,
    strategy: asset.asset_kind === 'orchestration' ? strategyOf(config) : null,
    visibility,
    published,
    latest_version: versions[0]?.version ?? null,
    serving_version: numbered(asset.serving_version_id),
    created_at,
    updated_at,
    config: config === null ? null : shownConfig(caller, asset, config),
    versions: versions.map((version) => versionRecord(asset, version, approved.has(version.id))),
    permissions,
  };
}

function strategyOf(config: Record<string, unknown> | null): string | null {
  const strategy = config?.['strategy'];
  return typeof strategy === 'string' ? strategy : null;
}

function versionRecord(asset: AssetRecord, row: VersionRow, approved: boolean): z.output<typeof assetVersion> {
  const { id, version, digest, state, message, pushed_by_email, pushed_at } = row;
  const ref = printVersionRef({ kind: asset.asset_kind, name: asset.name, version });
  return { id, ref, version, digest, state, approved, message, pushed_by: pushed_by_email, created_at: pushed_at };
}

export function versionDetail(
  caller: Caller,
  asset: AssetRecord,
  row: VersionRow,
  { approved, config, pins }: { approved: boolean; config: Record<string, unknown>; pins: Pin[] },
): AssetVersionDetail {
  return {
    ...versionRecord(asset, row, approved),
    config: shownConfig(caller, asset, config),
    references: pins.map(({ ref, version, digest }) => ({ ref, version, digest })),
  };
}

/** A caller without write access gets the names of environment variables, but not their values. */
function shownConfig(caller: Caller, asset: AssetRecord, config: Record<string, unknown>): Record<string, unknown> {
  if (decide(caller, 'asset.write', asset).allowed) return config;
  // Those of an agent are under `deploy`, those of an MCP server beside its command.
  const deploy = config['deploy'];
  return {
    ...config,
    ...(hasVariables(config) ? { env_vars: withoutValues(config.env_vars) } : {}),
    ...(hasVariables(deploy) ? { deploy: { ...deploy, env_vars: withoutValues(deploy.env_vars) } } : {}),
  };
}

function hasVariables(value: unknown): value is { env_vars: unknown } {
  return typeof value === 'object' && value !== null && 'env_vars' in value;
}

function withoutValues(variables: unknown): Record<string, string> {
  return Object.fromEntries(Object.keys(Object(variables) as object).map((name) => [name, '(hidden)']));
}
