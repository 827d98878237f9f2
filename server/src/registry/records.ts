// Rows → the wire's records.
import type { Asset, assetDetail, assetVersion, push } from '@gantry/contract/registry.ts';
import { hasEnded } from '@gantry/contract/runs.ts';
import { printRef, printVersionRef } from '@gantry/contract/refs.ts';
import type { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { decide } from '../access/decide.ts';
import type { RunRow } from '../runs/run.ts';
import type { AssetRecord } from './asset.ts';
import type { PushInput, PushResult } from './push-input.ts';
import type { ListedRow, PermissionRow, VersionRow } from './store.ts';

export type AssetDetail = z.output<typeof assetDetail>;
export type PushRecord = z.output<typeof push>;

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
    visibility,
    published,
    latest_version,
    serving_version,
    created_at,
    updated_at,
  };
}

export interface DetailParts {
  versions: VersionRow[];
  /** Ids of versions whose present content is approved. */
  approved: ReadonlySet<string>;
  permissions: PermissionRow[];
  /** Of the highest version. */
  config: Record<string, unknown> | null;
}

export function detailRecord(
  caller: Caller,
  asset: AssetRecord,
  { versions, approved, permissions, config }: DetailParts,
): AssetDetail {
  const { id, ref, name, owner, description, tags, framework, visibility, published, created_at, updated_at } = asset;
  const numbered = (version_id: string | null) =>
    versions.find((version) => version.id === version_id)?.version ?? null;
  const may_write = decide(caller, 'asset.write', asset).allowed;
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
    visibility,
    published,
    latest_version: versions[0]?.version ?? null,
    serving_version: numbered(asset.serving_version_id),
    created_at,
    updated_at,
    config: config === null || may_write ? config : withoutValues(config),
    versions: versions.map((version) => versionRecord(asset, version, approved.has(version.id))),
    permissions: permissions.map((row) => ({
      principal: row.name === null ? row.principal_type : `${row.principal_type}:${row.name}`,
      actions: row.actions,
    })),
  };
}

function versionRecord(asset: AssetRecord, row: VersionRow, approved: boolean): z.output<typeof assetVersion> {
  const { id, version, digest, state, message, pushed_by_email, pushed_at } = row;
  const ref = printVersionRef({ kind: asset.asset_kind, name: asset.name, version });
  return { id, ref, version, digest, state, approved, message, pushed_by: pushed_by_email, created_at: pushed_at };
}

/** Whoever may not write an agent sees which environment variables it has, and not what is in them. */
export function withoutValues(config: Record<string, unknown>): Record<string, unknown> {
  const deploy = config['deploy'];
  if (typeof deploy !== 'object' || deploy === null || !('env_vars' in deploy)) return config;
  const names = Object.keys(deploy.env_vars ?? {});
  return { ...config, deploy: { ...deploy, env_vars: Object.fromEntries(names.map((name) => [name, '(hidden)'])) } };
}

export function pushRecord(run: RunRow<PushInput, PushResult>): PushRecord {
  const { name, version } = run.input.config;
  // What a run does after it was asked to stop is nothing a push shows; one that left something behind has failed.
  const state = run.state === 'cancelling' ? 'running' : run.state === 'needs_attention' ? 'failed' : run.state;
  return {
    id: run.id,
    ref: printVersionRef({ kind: 'agent', name, version }),
    state,
    digest: run.result?.digest ?? null,
    unchanged: run.result?.unchanged ?? false,
    problem: run.problem,
    notices: hasEnded(run.state) ? run.notices : run.input.notices,
    created_at: run.created_at,
  };
}
