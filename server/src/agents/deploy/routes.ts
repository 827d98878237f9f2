import type { Handlers } from '../../governance/http/handlers.ts';
import { lastId, lastSeq } from '../../governance/http/request/last-event-id.ts';
import { whileAllowed } from '../../governance/http/answer/while-allowed.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { setCredential } from '../../assets/targets/set-credential.ts';
import { fairSlots } from '../../assets/registry/push/fair-slots.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { cancel } from './operate/cancel.ts';
import { deleteAgent } from './operate/delete.ts';
import { deploy } from './deploy.ts';
import { listArtefacts } from './artefacts.ts';
import { findDeploy, showDeploy } from './deployments/find-deploy.ts';
import { listDeploys } from './deployments/list-deploys.ts';
import { listEvents } from './list-events.ts';
import { findLogged, logs } from './logs.ts';
import type { DeployParts } from './parts.ts';
import { plan } from './plan.ts';
import { restart } from './operate/restart.ts';
import { rollback } from './operate/rollback.ts';
import { scale } from './operate/scale.ts';
import { start } from './operate/start.ts';
import { setDefaultTarget } from './operate/set-default-target.ts';
import { showStatus } from './status/show-status.ts';
import { listStatuses } from './status/status.ts';
import { stop } from './operate/stop.ts';
import { collectTargets } from './targets/named/collect-targets.ts';
import { showDrift } from './targets/named/find-drift.ts';
import { showPolicy } from './targets/named/show-policy.ts';
import { showTarget, showTargets } from './targets/named/show-targets.ts';
import { testTarget } from './targets/named/test-target.ts';

export type DeployHandlers = Handlers<'deployments'> & Handlers<'targets'> & Omit<Handlers<'agents'>, 'agents.push'>;

// Each plan reads the whole project, up to 200 MB.
const plans_at_once = 2;
const plan_wait_ms = 60_000;

export function deployRoutes(parts: DeployParts & { onError: (error: unknown) => void }): DeployHandlers {
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
      await planInSlot({ user: signedIn(caller).id }, signal, async () => await plan(parts, caller, body)),
    'deployments.list': async ({ caller, query }) => await listDeploys(db, cursors, caller, query),
    'deployments.show': async ({ caller, params }) => await showDeploy(db, caller, params.id),
    'deployments.events': async ({ caller, callerNow, params, query, headers, signal }) => {
      await findDeploy(db, caller, params.id);
      const after = lastSeq(headers) ?? query.after ?? 0;
      const decide = async () => await findDeploy(db, await callerNow(), params.id);
      return await whileAllowed({ decide, signal }, async (until) => runEvents(db, params.id, after, until));
    },
    'deployments.files': async ({ caller, params }) => await listArtefacts(db, caller, params.id),
    'deployments.cancel': async ({ caller, params }) => await cancel(db, caller, params.id),
    'agents.statuses': async ({ caller, query }) => await listStatuses(parts, caller, query),
    'agents.status': async ({ caller, params, signal }) => await showStatus(parts, caller, params.name, signal),
    'agents.logs': async ({ caller, callerNow, params: { name }, query, headers, signal }) => {
      const wish = { ...query, given: lastId(headers) };
      const decide = async () => await findLogged(db, await callerNow(), name);
      return await whileAllowed({ decide, signal }, async (until) => await logs(parts, caller, name, wish, until));
    },
    'agents.events': async ({ caller, params, query }) => await listEvents(parts, caller, { ...params, ...query }),
    'agents.stop': async ({ caller, params, query }) => await stop(parts, caller, params.name, query.target),
    'agents.start': async ({ caller, params, query }) => await start(parts, caller, params.name, query.target),
    'agents.restart': async ({ caller, params, query }) => await restart(parts, caller, params.name, query.target),
    'agents.rollback': async ({ caller, params, query, body }) =>
      await rollback(parts, caller, { ...params, ...query }, body),
    'agents.scale': async ({ caller, params, query, body }) =>
      await scale(parts, caller, { ...params, ...query }, body.instances),
    'agents.set_target': async ({ caller, params, body, signal }) => {
      await setDefaultTarget(parts, caller, { ...params, ...body });
      return await showStatus(parts, caller, params.name, signal);
    },
    'targets.list': async ({ caller }) => await showTargets(parts, caller),
    'targets.show': async ({ caller, params }) => await showTarget(parts, caller, params.name),
    'targets.set_credential': async ({ caller, params, body }) => {
      await setCredential({ db, envelope: parts.key_maker.envelope }, caller, { ...params, credential: body });
      return await showTarget(parts, caller, params.name);
    },
    'targets.drift': async ({ caller, params, signal }) => await showDrift(parts, caller, { ...params, signal }),
    'targets.collect': async ({ caller, signal }) =>
      await collectTargets(parts, caller, { signal, onError: parts.onError }),
    'targets.test': async ({ caller, params, signal }) => await testTarget(parts, caller, { ...params, signal }),
    'targets.policy': async ({ caller, params }) => await showPolicy(parts, caller, params.name),
    'agents.delete': async ({ caller, params }) => await deleteAgent(parts, caller, params.name),
  };
}
