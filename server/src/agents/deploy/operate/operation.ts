// Start, stop and restart as runs. The governed change commits in the request, together with the run that works on the containers. So the record is
// right at once, and the work outlives the request.
import type { Deployment, Operation } from '@gantry/contract/agents/deploy.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { enqueue, MutexHeld, type Run, type RunKind } from '../../../ground/runs/run.ts';
import { deployRunning } from '../deploy.ts';
import { deployMutex, type DeployInput } from '../deploy-run.ts';
import { showDeploy } from '../deployments/find-deploy.ts';
import type { DeployParts } from '../parts.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';
import { noteOf, type Operated } from './operated.ts';

/** The revision that the route had at the request. */
export interface OperationInput extends DeployInput {
  revision_id: string;
  /** The number of its instances that take calls, or that a scale asks for. */
  instances: number;
}

export type OperationRun = Run<OperationInput>;

type Operate = Exclude<Operation, 'deploy' | 'rollback'>;

const events = {
  start: 'agent.started',
  stop: 'agent.stopped',
  restart: 'agent.restarted',
  scale: 'agent.scaled',
} as const;

/** Makes the change, and stores the run of the operation in the same transaction. Throws `deploy_running` while another run has the agent. */
export async function beginOperation(
  { db }: Pick<DeployParts, 'db'>,
  caller: Caller,
  { asset, route, grant }: Operated,
  {
    operation,
    decide = async () => {},
    behind = false,
    instances,
  }: {
    operation: Operate;
    /** In the transaction, with the route locked. */
    decide?: (tx: GovernedTx, held: store.RouteRow) => Promise<void>;
    /** After the runs of this agent that have not ended. */
    behind?: boolean;
    /** The number that a scale asks for. */
    instances?: number;
  },
): Promise<Deployment> {
  const user = signedIn(caller);
  const { id: agent_id, name: agent, team } = asset;
  const { version_id, version, digest, target, approval_id } = route;
  const what = { agent_id, agent, version_id, version, digest, target };
  const origin = { request_id: user.origin.request_id, ip: user.origin.ip };
  const actor = { user_id: user.id, name: user.label };
  const id = await change(db, grant, events[operation], async (tx, note) => {
    const held = await store.route(tx, agent_id, target, { lock: true });
    if (held !== undefined) await decide(tx, held);
    const taking = await instanceStore.countTaking(tx, route.id);
    const input = { ...what, origin, revision_id: route.id, instances: instances ?? taking };
    const mutex = deployMutex({ agent_id, target });
    const run = await enqueue(tx, { kind: operation, mutex, input, actor, team_id: team.id, behind });
    await store.insertDeployment(tx, { ...what, approval_id, operation, run_id: run.id });
    const scaled = instances === undefined ? {} : { before: taking, after: instances };
    note({ ...noteOf(held ?? route), ...scaled, run_id: run.id });
    return run.id;
  }).catch((error: unknown) => {
    throw error instanceof MutexHeld ? deployRunning({ agent }, error.holder) : error;
  });
  return await showDeploy(db, user, id);
}

/** The end of an operation that failed goes to the log. The keeper tries again to reach the desired state. */
export function operationKind(
  { db }: Pick<DeployParts, 'db'>,
  operation: Operate,
  work: (run: OperationRun) => Promise<unknown>,
): RunKind<OperationInput> {
  return {
    shares: { max: 12, team: 8, user: 6 },
    work: async (run) => await run.step(operation, work),
    end: async ({ id, input, actor }, { state, problem }, finish) => {
      const grant = authorize(systemCaller('system.resume'), 'system.resume', theOrg);
      await change(db, grant, 'agent.operation_failed', async (tx, note) => {
        await finish(tx);
        const { version, digest, target, revision_id: revision } = input;
        const { code, detail } = problem;
        const what = { operation, run_id: id, revision, version, digest, target, started_by: actor.name };
        note({ ...what, state, code, reason: detail }, { asset: `agents/${input.agent}` });
      });
    },
  };
}
