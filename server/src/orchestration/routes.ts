import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { invoke } from './begin.ts';
import { checkOrchestration } from './check-orchestration.ts';
import { deployOrchestration } from './deploy-orchestration.ts';
import { input } from './input.ts';
import type { Orchestrations } from './parts.ts';
import { cancelRun, listRuns, readRun } from './runs.ts';
import { stream } from './stream.ts';

export function orchestrationsRoutes(db: Database): Handlers<'orchestrations'> {
  return {
    'orchestrations.check': async ({ params: { name }, query: { version }, caller }) =>
      await checkOrchestration(db, caller, { name, version }),
    'orchestrations.deploy': async ({ params: { name }, body: { version }, caller }) =>
      await deployOrchestration(db, caller, { name, version }),
  };
}

export function orchestrateRoutes(parts: Orchestrations, cursors: Cursors): Handlers<'orchestrate'> {
  const { db } = parts.ingress;
  return {
    'orchestrate.call': async ({ params: { name }, body, caller, headers, trace }) =>
      await invoke(parts, { caller, name, body, headers, trace }),
    'orchestrate.stream': async ({ params: { name }, body, caller, headers, trace, signal }) =>
      await stream(parts, { caller, name, body, headers, trace }, signal),
    'orchestrate.input': async ({ params: { name }, caller }) => await input(db, { caller, name }),
    'orchestrate.runs': async ({ params: { name }, query, caller }) =>
      await listRuns(db, cursors, { caller, name, ...query }),
    'orchestrate.run': async ({ params, caller }) => await readRun(db, { caller, ...params }),
    'orchestrate.cancel': async ({ params, caller }) => await cancelRun(db, { caller, ...params }),
  };
}
