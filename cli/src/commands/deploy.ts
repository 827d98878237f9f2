import { Problem } from '@gantry/contract/problems.ts';
import { choice, defineCommand, optional, text, toggle } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'deploy',
  summary: 'Deploy a project, or a version that is in the registry',
  needs: 'agent.deploy',
  examples: [
    'svc deploy',
    'svc deploy agents/greeter@1.0.0 --plan',
    'svc deploy --bump patch --message "kinder greeting"',
  ],
  arguments: { what: optional('A directory, its agent.yaml, or agents/<name>@<version> (default ./agent.yaml)') },
  flags: {
    target: text('The target (default: deploy.cloud of agent.yaml, else local)', 'target'),
    message: text('The change, in words; stored with the version', 'text'),
    plan: toggle('Show every check and every change without deploying; exit 5 with changes, 1 when a check fails'),
    force: toggle('Deploy the running version again'),
    bump: choice('Raise the version in agent.yaml first', ['major', 'minor', 'patch']),
    detach: toggle('Do not watch: print the id of the deploy'),
    wait: toggle('Wait for another deploy of this agent to end'),
    waitApproval: toggle('Request the approval unless it is already requested, and wait for it'),
  },
  async run({ what, target, message, plan, force, bump, detach, wait, waitApproval }, session): Promise<Result> {
    const { versionByPush, versionByReference, versionInProject } = await import('../deploy/choose-version.ts');
    const referred = await versionByReference(session, what);
    if (referred !== undefined && bump !== undefined)
      throw misuse('--bump edits a project; a version in the registry never changes');
    if (plan && referred !== undefined) return await showPlan(session, referred, target);
    if (plan) {
      const ref = await versionInProject(session, what);
      return await showPlan(session, ref, target).catch((error: unknown) => notPushed(error, ref));
    }

    const ref = referred ?? (await versionByPush(session, { directory: what, bump, message, target }));
    const { requestDeployment } = await import('../deploy/request-deployment.ts');
    const { detachedResult, watchDeployment } = await import('../deploy/watch-deployment.ts');
    const deployment = await requestDeployment(session, { ref, target, force, wait, waitApproval, message });
    if (deployment === 'runs already') return runsAlready(ref);
    return detach ? detachedResult(deployment) : await watchDeployment(session, deployment);
  },
});

function runsAlready(ref: string): Result {
  return {
    data: { ref, unchanged: true },
    view: [line(good('✓ '), `${ref} already answers with exactly this content; nothing was done`)],
    next: [{ command: `svc deploy ${ref} --force`, when: 'to deploy it again' }],
  };
}

/** An agent is unreadable before its first push. */
async function notPushed(error: unknown, ref: string): Promise<never> {
  if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
  const hint = 'Push it without deploying: `svc submit`. The plan then shows every check and every change.';
  throw new CliRefusal('not_pushed', `${ref} is not pushed yet, or you may not read it`, { hint });
}

async function showPlan(session: Session, ref: string, target: string | undefined): Promise<Result> {
  const { describePlan } = await import('../deploy/describe-plan.ts');
  const { hasChanges } = await import('../review/describe-changes.ts');
  const plan = await session.call('deployments.plan', { body: { ref, ...(target === undefined ? {} : { target }) } });
  const changes = plan.running === null || hasChanges(plan.changes);
  return {
    data: plan,
    view: describePlan(plan),
    exit: plan.deployable ? (changes ? exitCodes.changes : exitCodes.done) : exitCodes.refused,
    next: plan.deployable && changes ? [{ command: `svc deploy ${ref}`, when: 'to deploy this' }] : [],
  };
}
