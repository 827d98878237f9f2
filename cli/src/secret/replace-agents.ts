// After a new value, the agents that get the secret are replaced, one after the other: a deploy of the same content, whose new revision
// starts with the new value, takes over the calls, and lets the old one finish its own.
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { requestDeployment } from '../deploy/request-deployment.ts';
import { watchDeployment } from '../deploy/watch-deployment.ts';
import { describeFailure } from '../failure.ts';
import { CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { line } from '../view/view.ts';

/** Stops at the first failure: a wrong value must not reach every agent. A stopped or sleeping agent reads the value at its start. */
export async function replaceAgents(session: Session, agents: readonly string[]): Promise<string[]> {
  const replaced: string[] = [];
  for (const [index, name] of agents.entries()) {
    const { ref, state, target } = await session.call('agents.status', { params: { name } });
    if (ref === null || state === 'stopped' || state === 'asleep' || state === 'not_deployed') continue;
    session.output.note(`Replacing ${ref}`);
    try {
      const wish = { ref, target: target ?? undefined, force: true, wait: true, waitApproval: false };
      const deployment = (await requestDeployment(session, wish)) as Deployment; // a forced deploy never `runs already`
      const { data } = await watchDeployment(session, deployment);
      if ((data as Deployment).state !== 'done') throw detached(deployment); // its receipt has it
    } catch (error) {
      throw stoppedAt(error, ref, agents.slice(index));
    }
    replaced.push(name);
  }
  return replaced;
}

function stoppedAt(error: unknown, ref: string, rest: readonly string[]): unknown {
  const failure = describeFailure(error);
  if (failure === undefined) return error;
  return new CliRefusal('not_replaced', `The new value is set, and ${ref} could not be replaced`, {
    view: [line(failure.sentence), ...failure.view],
    problem: failure.problem,
    exit: failure.exit,
    hint: `${rest.join(', ')} keep the previous value until their next start.`,
  });
}

function detached({ id }: Deployment): CliRefusal {
  return new CliRefusal('detached', 'This terminal no longer watches the deploy', {
    hint: `Watch it: svc deployments watch ${id}`,
  });
}
