import type { Handlers } from '../http/handlers.ts';
import { lastInstant, lastSeq } from '../http/last-event-id.ts';
import { whileAllowed } from '../http/while-allowed.ts';
import { signedIn } from '../principals/signed-in.ts';
import { fairSlots } from '../registry/push/fair-slots.ts';
import { runEvents } from '../runs/events.ts';
import { cancel } from './cancel.ts';
import { deleteAgent } from './delete.ts';
import { deploy } from './deploy.ts';
import { findDeploy, showDeploy } from './find-deploy.ts';
import { listDeploys } from './list-deploys.ts';
import { findLogged, logs } from './logs.ts';
import type { DeployParts } from './parts.ts';
import { plan } from './plan.ts';
import { restart } from './restart.ts';
import { start } from './start.ts';
import { showStatus } from './show-status.ts';
import { listStatuses } from './status.ts';
import { stop } from './stop.ts';

export type DeployHandlers = Handlers<'deployments'> & Omit<Handlers<'agents'>, 'agents.push'>;

// Each plan reads the whole project, up to 200 MB.
const plans_at_once = 2;
const plan_wait_ms = 60_000;

export function deployRoutes(parts: DeployParts): DeployHandlers {
  const { db, cursors } = parts;
  const planInSlot = fairSlots({
    max: plans_at_once,
    shares: { user: 1 },
    wait_ms: plan_wait_ms,
    busy: 'Too many plans are running.',
  });
  return {
    'deployments.create': async ({ caller, body }) => await deploy(parts, caller, body),
    'deployments.plan': async ({ caller, body, signal }) =>
      await planInSlot({ user: signedIn(caller).id }, signal, async () => await plan(db, caller, body)),
    'deployments.list': async ({ caller, query }) => await listDeploys(db, cursors, caller, query),
    'deployments.show': async ({ caller, params }) => await showDeploy(db, caller, params.id),
    'deployments.events': async ({ caller, callerNow, params, query, headers, signal }) => {
      await findDeploy(db, caller, params.id);
      const after = lastSeq(headers) ?? query.after ?? 0;
      const decide = async () => await findDeploy(db, await callerNow(), params.id);
      return await whileAllowed({ decide, signal }, async (until) => runEvents(db, params.id, after, until));
    },
    'deployments.cancel': async ({ caller, params }) => await cancel(db, caller, params.id),
    'agents.statuses': async ({ caller, query }) => await listStatuses(parts, caller, query),
    'agents.status': async ({ caller, params, signal }) => await showStatus(parts, caller, params.name, signal),
    'agents.logs': async ({ caller, callerNow, params: { name }, query, headers, signal }) => {
      const wish = { ...query, given: lastInstant(headers) };
      const decide = async () => await findLogged(db, await callerNow(), name);
      return await whileAllowed({ decide, signal }, async (until) => await logs(parts, caller, name, wish, until));
    },
    'agents.stop': async ({ caller, params, signal }) => await stop(parts, caller, params.name, signal),
    'agents.start': async ({ caller, params, signal }) => await start(parts, caller, params.name, signal),
    'agents.restart': async ({ caller, params, signal }) => await restart(parts, caller, params.name, signal),
    'agents.delete': async ({ caller, params, signal }) => await deleteAgent(parts, caller, params.name, signal),
  };
}
