// The calls to agents. The database has the permissions and the addresses of containers. This role opens no engine, so calls continue while
// api and worker restart.
import { createSecretKey } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { reaches, reachesOf } from '../deploy/targets/index.ts';
import { servingAgents } from '../deploy/serving.ts';
import { cursors } from '../http/cursor.ts';
import type { SurfaceHandlers } from '../http/handlers.ts';
import { a2aHandlers } from '../invoke/a2a/handlers.ts';
import { agentWays } from '../invoke/agent-caller.ts';
import { openIngress } from '../invoke/ingress.ts';
import { repeatCancels } from '../invoke/repeat-cancels.ts';
import { invokeRoutes } from '../invoke/routes.ts';
import { deriveKey } from '../derive-key.ts';
import { keyAuthenticator } from '../keys/authenticate.ts';
import { orchestrationKind } from '../orchestration/orchestrate.ts';
import { keep_days, kind } from '../orchestration/orchestration-run.ts';
import { runReaders } from '../orchestration/run-readers.ts';
import { recordRun } from '../orchestration/record-run.ts';
import { orchestrateA2aRoutes, orchestrateRoutes } from '../orchestration/routes.ts';
import { forgetContents } from '../runs/forget-contents.ts';
import { startLoop } from '../queue/loop.ts';
import { startWorker, type Worker } from '../runs/worker.ts';
import type { Role, RoleParts } from './role.ts';

const forget_every_ms = 60 * 60_000;

export function openIngressRole(parts: RoleParts): Role {
  const {
    config,
    db,
    owner,
    keys,
    models,
    guardrails,
    readAsOf,
    spans,
    more_targets,
    base_url,
    stopping,
    onError,
    open,
  } = parts;
  const run_key = createSecretKey(keys['run-token']);
  const ingress = openIngress({
    db,
    owner,
    alone: config.database_url === undefined,
    agents: servingAgents({
      db,
      ingress_key: keys['ingress-secret'],
      readAsOf,
      reaches: { ...reaches, ...reachesOf(more_targets) },
    }),
    run_key,
    envelope: parts.envelope,
    models,
    guardrails,
    spans,
    base_url,
    sync_budget_ms: config.sync_budget_seconds * 1000,
    stopping,
    onError,
  });
  open.defer(async () => await ingress.close());
  const orchestrations = { ingress, recordRefusal: parts.recordRefusal, readers: runReaders() };
  let worker: Worker | undefined;
  const started = () => {
    if (worker === undefined) throw new Problem('starting');
    return worker;
  };
  const called = { ...orchestrations, worker: started };
  const handlers: SurfaceHandlers<'ingress' | 'a2a'> = {
    ...invokeRoutes(ingress),
    ...orchestrateRoutes(called, cursors(deriveKey(parts.secret_key, 'cursor'))),
    ...orchestrateA2aRoutes(called),
  };
  return {
    handlers,
    inside: {
      port: config.subagents_port,
      handlers: a2aHandlers(ingress),
      ways: agentWays({
        db,
        run_key,
        authenticate: keyAuthenticator({ db, pepper: keys['key-pepper'] }),
      }),
    },
    start: async () => {
      worker = await startWorker(
        db,
        { [kind]: orchestrationKind(orchestrations) },
        {
          owner,
          onError,
          alone: config.database_url === undefined,
          onEnd: async (run_id) => await recordRun(db, spans, run_id),
        },
      );
      open.defer(async () => await worker?.stop());
      const forget = async () => {
        await forgetContents(db, kind, keep_days);
        await ingress.forgetOld();
      };
      const forgetting = startLoop(forget, { pause_ms: forget_every_ms, failed_pause_ms: 60_000, onError });
      open.defer(async () => await forgetting.stop());
      const cancelling = repeatCancels(ingress, onError);
      open.defer(async () => await cancelling.stop());
      ingress.followed.start();
    },
  };
}
