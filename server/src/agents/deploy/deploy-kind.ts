// A deploy as a kind of run. The transaction of a failed end also writes the log entry.
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { decide } from '../../governance/access/decide.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import { findAssetById } from '../../assets/registry/find.ts';
import type { Ending, RunIdentity, RunKind } from '../../ground/runs/run.ts';
import type { DeployInput } from './deploy-run.ts';
import type { DeployParts } from './parts.ts';
import { pipeline } from './pipeline.ts';
import * as store from './store.ts';
import { theOrg } from '../../governance/access/subject.ts';

export function deployKind(parts: DeployParts): RunKind<DeployInput> {
  return {
    shares: { max: 6, team: 4, user: 3 },
    work: async (run) => await pipeline(parts, run),
    end: async (run, ending, finish) => {
      const cancelled = ending.state === 'cancelled';
      const deployment = await store.deployment(parts.db, run.id);
      const event = cancelled ? 'deploy.cancelled' : 'deploy.failed';
      await change(parts.db, await reporter(parts, run), event, async (tx, note) => {
        await finish(tx);
        note(
          {
            ...whatFailed(run, ending),
            approval_id: deployment?.approval_id ?? null,
            ...(cancelled ? { cancelled_by: deployment?.cancelled_by ?? null } : {}),
          },
          { asset: `agents/${run.input.agent}` },
        );
      });
    },
  };
}

function whatFailed({ id, input, actor }: RunIdentity<DeployInput>, { state, problem }: Ending) {
  const { version, digest, target } = input;
  const { code, detail, leftovers } = problem;
  return { run_id: id, version, digest, target, started_by: actor.name, state, code, reason: detail, leftovers };
}

// The entry names the deployer as its actor while they may read the agent, otherwise the service.
async function reporter({ db }: DeployParts, { input, actor }: RunIdentity<DeployInput>): Promise<Grant> {
  const caller = await loadIdentity(db, actor.user_id, { ...input.origin, receipts: [] });
  const asset = await findAssetById(db, input.agent_id, caller ?? null);
  if (caller !== undefined && asset !== undefined && decide(caller, 'deployment.read', asset).allowed) {
    return authorize(caller, 'deployment.read', asset);
  }
  return authorize(systemCaller('system.resume'), 'system.resume', theOrg);
}
