// The slow part of a push: pin references, resolve and lock, store the version. Each step is done once. The decision is repeated
// before the version is stored, because the pusher may have been demoted meanwhile.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { isTraced } from '@gantry/project/agent-yaml/tracing.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { canonicalJson } from '../../../governance/audit/canonical-json.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import type { Run, RunKind } from '../../../ground/runs/run.ts';
import { pinned, schemaOf, type Content, type Pin } from '../content.ts';
import * as contents from '../content-store.ts';
import { findAgent, findVersion } from '../find.ts';
import { loadVersionSummary } from '../versions/load-version-content.ts';
import { loadProjectLock } from '../dependencies/load-project-lock.ts';
import { lockDependencies } from '../dependencies/lock-dependencies.ts';
import { pinReferences } from '../references/pin-references.ts';
import type { PushInput, PushResult } from './push-input.ts';
import { referencesOfAgent } from '../references/references.ts';
import type { Resolver } from '../dependencies/resolver.ts';
import { storeVersion } from './store-version.ts';
import { versionFinal } from '../versions/version-final.ts';

// Resolving takes minutes when packages are built from source.
const shares = { max: 4, team: 3, user: 2 };

export interface PushRunParts {
  db: Database;
  resolver: Resolver;
  /** Throws the refusal of an agent whose models do not fit together. A higher folder knows the formats of models. */
  checkModels: (db: Reader, agent: { team_id: string; config: AgentConfig }) => Promise<void>;
  /** What the agent's containers were refused and this config does not list, as sentences. A higher folder knows it. */
  refusedBefore: (db: Reader, agent: { agent_id: string; config: AgentConfig }) => Promise<string[]>;
}

export function pushRun(parts: PushRunParts): RunKind<PushInput> {
  return { shares, work: async (run) => await work(parts, run) };
}

async function work(
  { db, resolver, checkModels, refusedBefore }: PushRunParts,
  run: Run<PushInput>,
): Promise<PushResult> {
  const { config, manifest, source, dependencies, team_id } = run.input;
  const pins = await run.step('references', async ({ notice }) => {
    for (const sentence of run.input.notices) notice(sentence);
    const agent_id = run.input.asset_id;
    if (agent_id !== null) for (const sentence of await refusedBefore(db, { agent_id, config })) notice(sentence);
    await checkModels(db, { team_id, config });
    return await pinReferences(db, await loadPusher(db, run), referencesOfAgent(config));
  });
  const there = await finalVersion(db, run.input, pins);
  if (there !== undefined) return there;
  const locked = await run.step('dependencies', async ({ log, notice, signal }) => {
    const { locked } = dependencies;
    const request = {
      team_id,
      ...dependencies,
      locked: locked && (await loadProjectLock(db, locked, manifest)),
      framework: config.framework,
      isTraced: isTraced(config),
      run: { run_id: run.id, fence: run.fence },
      onLog: log,
      notice,
      signal,
    };
    const made = await lockDependencies(db, resolver, request);
    const { untraced } = made.dependencies;
    if (untraced !== undefined) notice(`not traced: ${untraced}`);
    return made;
  });
  const content: Content = { schema: schemaOf(pins, 2), config, manifest, pins, ...locked };
  return await run.step('store', async (at) => {
    const stored = await storeVersion(db, at, await loadPusher(db, at), content, source);
    await contents.sweepBlobs(db);
    return stored;
  });
}

async function loadPusher(db: Database, run: Run<PushInput>): Promise<SignedInCaller> {
  const caller = await loadIdentity(db, run.actor.user_id, { ...run.input.origin, receipts: [] });
  if (caller === undefined)
    throw new Problem('forbidden', { detail: `The account ${run.actor.name} is no longer active.` });
  return caller;
}

// A final version is compared by the author's files and their references. Its lock and base image stay.
async function finalVersion(db: Database, { config, source }: PushInput, pins: Pin[]): Promise<PushResult | undefined> {
  const asset = await findAgent(db, config.name, null);
  const version = asset && (await findVersion(db, asset.id, config.version));
  if (version?.state !== 'final') return undefined;
  const before = await loadVersionSummary(db, version.id);
  const same = before.source === source && canonicalJson(pinned(before.pins)) === canonicalJson(pinned(pins));
  if (!same) throw versionFinal({ kind: 'agent', name: config.name, version: config.version });
  return { asset_id: version.asset_id, version_id: version.id, digest: version.digest, unchanged: true };
}
