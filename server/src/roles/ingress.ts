// The calls to agents. The database has the permissions and the addresses of containers. This role opens an engine only for hosted MCP
// servers, so calls continue while api and worker restart.
import { createSecretKey } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { cursors } from '../governance/http/cursor.ts';
import type { SurfaceHandlers } from '../governance/http/handlers.ts';
import { a2aHandlers } from '../agents/invoke/a2a/handlers.ts';
import { agentWay } from '../agents/delegated-calls/agent-way.ts';
import { repeatCancels } from '../agents/invoke/calls/repeat-cancels.ts';
import { invokeRoutes } from '../agents/invoke/routes.ts';
import { deriveKey } from '../ground/derive-key.ts';
import { keyAuthenticator } from '../models/keys/calls/authenticate.ts';
import { forgetOldMemory } from '../agents/memory/forget-old.ts';
import { memoryDoorRoutes, threadsRoutes } from '../agents/memory/routes.ts';
import { forgetOldClients } from '../people/login/clients/forget-old.ts';
import { forgetOldAsks } from '../agents/connections/forget-old.ts';
import { forgetOldCalls, recordCalls } from '../agents/tools/record-calls.ts';
import { serveControl } from '../agents/served/control/serve-control.ts';
import { ownPromptsRoutes } from '../agents/prompts/routes.ts';
import { mcpRoutes } from '../agents/tools/routes.ts';
import { forgetOldRuns } from '../agents/langgraph/forget-old.ts';
import { langgraphRoutes } from '../agents/langgraph/routes.ts';
import { servedRoutes } from '../agents/served/routes.ts';
import { orchestrationKind } from '../agents/orchestration/orchestrate.ts';
import { keep_days, kind } from '../agents/orchestration/runs/orchestration-run.ts';
import { runReaders } from '../agents/orchestration/runs/run-readers.ts';
import { recordRun } from '../agents/orchestration/runs/record-run.ts';
import { orchestrateA2aRoutes, orchestrateRoutes } from '../agents/orchestration/routes.ts';
import { forgetContents } from '../ground/runs/forget-contents.ts';
import { startLoop } from '../ground/queue/loop.ts';
import { startWorker, type Worker } from '../ground/runs/worker.ts';
import type { Role, RoleParts } from './role.ts';

const forget_every_ms = 60 * 60_000;
const record_calls_every_ms = 5000;

export async function openIngressRole(parts: RoleParts): Promise<Role> {
  const { config, db, owner, keys, spans, models, agentCalls, onError, open } = parts;
  const run_key = createSecretKey(keys['run-token']);
  // A guardrail may ask a model. After the start of the process no part can be opened.
  await models();
  const ingress = await agentCalls();
  const orchestrations = { ingress, recordRefusal: parts.recordRefusal, readers: runReaders() };
  let worker: Worker | undefined;
  const started = () => {
    if (worker === undefined) throw new Problem('starting');
    return worker;
  };
  const called = { ...orchestrations, worker: started };
  const memory = memoryDoorRoutes({ db, envelope: parts.envelope, models });
  const prompts = ownPromptsRoutes({ db, spans });
  const { recordRefusal, api_url } = parts;
  const tools = mcpRoutes(
    { ...(await parts.tools()), recordRefusal },
    async (request) => await serveControl({ recordRefusal, api_url, tokens: parts.tokens, onError }, request),
  );
  const cursor = cursors(deriveKey(parts.secret_key, 'cursor'));
  const threads = { db, envelope: parts.envelope, cursors: cursor };
  const handlers: SurfaceHandlers<'ingress' | 'a2a' | 'langgraph' | 'memory' | 'prompts' | 'mcp'> = {
    ...memory,
    ...prompts,
    ...tools,
    ...threadsRoutes(ingress, threads),
    ...langgraphRoutes({ ingress, ...threads }),
    ...servedRoutes({ ingress, recordRefusal: parts.recordRefusal, onError }),
    ...invokeRoutes(ingress),
    ...orchestrateRoutes(called, cursor),
    ...orchestrateA2aRoutes(called),
  };
  const proofs = { db, run_key, authenticate: keyAuthenticator({ db, pepper: keys['key-pepper'] }) };
  return {
    handlers,
    door: {
      handlers: { ...a2aHandlers(ingress), ...memory, ...prompts, ...tools },
      ways: { agent: agentWay(proofs), starting_agent: agentWay(proofs, { takes_starting: true }) },
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
        await forgetOldMemory(db);
        await forgetOldRuns(db);
        await forgetOldCalls(db);
        await forgetOldAsks(db);
        await forgetOldClients(db);
      };
      const forgetting = startLoop(forget, { pause_ms: forget_every_ms, failed_pause_ms: 60_000, onError });
      open.defer(async () => await forgetting.stop());
      const recording = startLoop(async () => await recordCalls(db), { pause_ms: record_calls_every_ms, onError });
      open.defer(async () => await recording.stop());
      const cancelling = repeatCancels(ingress, onError);
      open.defer(async () => await cancelling.stop());
      ingress.followed.start();
    },
  };
}
