import { agentArgument, suggestAgent } from '../agent/agent-name.ts';
import { targetFlag } from '../agent/target-flag.ts';
import { defineCommand, text, toggle } from '../command.ts';
import type { Result } from '../result.ts';

export const command = defineCommand({
  words: 'rollback',
  summary: 'Return to a revision that has run before, with today’s secret values',
  needs: 'agent.deploy',
  examples: ['svc rollback greeter', 'svc rollback greeter --to 1.0.0 --reason "wrong answers"'],
  arguments: { name: agentArgument },
  flags: {
    to: text('A version that has run before (default: the one before the present one)', 'version'),
    reason: text('Why, in words; in the audit log', 'text'),
    target: targetFlag,
    detach: toggle('Do not watch: print the id of the rollback'),
  },
  async run({ name, to, reason, target, detach }, session): Promise<Result> {
    const { detachedResult, watchDeployment } = await import('../deploy/watch-deployment.ts');
    const body = { ...(to === undefined ? {} : { to }), ...(reason === undefined ? {} : { reason }) };
    const begun = await suggestAgent(session, name, () =>
      session.call('agents.rollback', { params: { name }, query: { target }, body }),
    );
    return detach ? detachedResult(begun) : await watchDeployment(session, begun);
  },
});
