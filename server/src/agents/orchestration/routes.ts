import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { handlersOf } from '../invoke/a2a/handlers.ts';
import { invoke } from './begin.ts';
import { checkOrchestration } from './check/check-orchestration.ts';
import { deployOrchestration } from './deploy-orchestration.ts';
import { input } from './input.ts';
import { orchestrationTasks } from './a2a/orchestration-tasks.ts';
import type { Orchestrations } from './parts.ts';
import { cancelRun, listRuns, readRun } from './runs/runs.ts';
import { stream } from './runs/stream.ts';

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

export function orchestrateA2aRoutes(parts: Orchestrations): Handlers<'orchestrate_a2a'> {
  const answers = handlersOf(orchestrationTasks(parts));
  return {
    'orchestrate_a2a.card': async (asked) => await answers['a2a.card'](asked),
    'orchestrate_a2a.rpc': async (asked) => await answers['a2a.rpc'](asked),
    'orchestrate_a2a.send': async (asked) => await answers['a2a.send'](asked),
    'orchestrate_a2a.stream': async (asked) => await answers['a2a.stream'](asked),
    'orchestrate_a2a.tasks': async (asked) => await answers['a2a.tasks'](asked),
    'orchestrate_a2a.task': async (asked) => await answers['a2a.task'](asked),
    'orchestrate_a2a.cancel': async (asked) => await answers['a2a.cancel'](asked),
    'orchestrate_a2a.subscribe': async (asked) => await answers['a2a.subscribe'](asked),
    'orchestrate_a2a.watch': async (asked) => await answers['a2a.watch'](asked),
  };
}
