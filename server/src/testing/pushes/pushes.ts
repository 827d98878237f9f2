// Pushes in tests, with a real worker; only the resolver is a fake.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endedStates } from '@gantry/contract/agents/run-states.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { requireOneFormat } from '../../models/gateway/catalogue/agent-models.ts';
import { refusedBefore } from '../../agents/deploy/deployments/refused-before.ts';
import { printLock } from '../../assets/workshop/resolve/lock.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { findRun, type RunRow } from '../../ground/runs/run.ts';
import { startWorker } from '../../ground/runs/worker.ts';
import { sha256 } from '../../assets/registry/content.ts';
import type { PushInput, PushResult } from '../../assets/registry/push/push-input.ts';
import { pushRun } from '../../assets/registry/push/push-run.ts';
import { pushPlaces } from '../../assets/registry/push/push-places.ts';
import { push, type PushParts } from '../../assets/registry/push/push.ts';
import type { Resolver, ResolveRequest } from '../../assets/registry/dependencies/resolver.ts';
import { projectOf, type TestProject } from './project-archive.ts';
import { rules } from './rules.ts';

export interface Pushes {
  parts: PushParts;
  /** Pushes and waits for the run's end. */
  push(caller: SignedInCaller, project?: TestProject, message?: string): Promise<RunRow<PushInput, PushResult>>;
  ended(run_id: string): Promise<RunRow<PushInput, PushResult>>;
  /** The resolver's requests, oldest first. */
  resolved: ResolveRequest[];
  setBaseImage(pin: string, python?: string): void;
  /** Resolving waits until the returned function is called. */
  hold(): () => void;
  errors: unknown[];
  stop(): Promise<void>;
}

/** `real` replaces the fake. */
export async function startPushes(db: Database, real?: Resolver): Promise<Pushes> {
  const resolved: ResolveRequest[] = [];
  const errors: unknown[] = [];
  let base_image = 'sha256:base';
  let python_version = '3.11.2';
  let released = Promise.resolve();
  const resolver: Resolver = {
    further_pythons: ['3.13', '3.12'],
    obtainable_pythons: [],
    baseImage: async (python) =>
      python === undefined
        ? { pin: base_image, python_version }
        : { pin: `sha256:base of ${python}`, python_version: `${python}.4` },
    obtainBaseImage: async (python) => ({ pin: `sha256:obtained ${python}`, python_version: `${python}.1` }),
    resolve: async (request) => {
      resolved.push(request);
      await released;
      return {
        // A new lock for each request.
        lock: printLock([{ name: 'langgraph', version: '1.0.0', hashes: [`sha256:${sha256(`${resolved.length}`)}`] }]),
        python_version: request.python_version,
        packages: [{ name: 'langgraph', version: '1.0.0' }],
        built_from_source: [],
        wheels: new Map(),
      };
    },
  };
  const worker = await startWorker(
    db,
    { push: pushRun({ db, resolver: real ?? resolver, checkModels: requireOneFormat, refusedBefore }) },
    { owner: 'test', onError: (error) => errors.push(error), poll_ms: 100 },
  );
  const ended = async (run_id: string) => {
    for await (const event of runEvents(db, run_id, 0, AbortSignal.timeout(real === undefined ? 20_000 : 240_000)))
      if (event.data.kind === 'end') break;
    const run = await findRun<PushInput, PushResult>(db, run_id);
    if (run === undefined || !endedStates.some((state) => state === run.state))
      throw new Error(`run ${run_id} did not end: ${run?.state}`);
    return run;
  };
  const data_dir = await mkdtemp(join(tmpdir(), 'gantry-pushes-'));
  const parts = { db, places: pushPlaces(data_dir), rules };
  return {
    parts,
    resolved,
    errors,
    ended,
    setBaseImage: (pin, python = '3.11.2') => {
      base_image = pin;
      python_version = python;
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      return resolve;
    },
    push: async (caller, project = {}, message = '') => {
      const request = {
        name: project.name ?? 'greeter',
        message,
        archive: projectOf(project),
        signal: AbortSignal.timeout(20_000),
        callerNow: async () => await Promise.resolve(caller),
      };
      return await ended(await push(parts, caller, request));
    },
    stop: async () => {
      await worker.stop();
      await rm(data_dir, { recursive: true });
    },
  };
}
