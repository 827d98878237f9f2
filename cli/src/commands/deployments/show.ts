import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import { defineCommand, required } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { describeDeployment } from '../../deploy/describe-deployment.ts';

export const command = defineCommand({
  words: 'deployments show',
  summary: 'One deploy with its steps',
  needs: 'deployment.read',
  examples: [
    'svc deployments show 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc deployments show 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { deploy: required('The id of the deploy, or its first characters', 'deploy') },
  flags: {},
  async run({ deploy }, session) {
    const id = await findId(session, 'deploy', deploy);
    const deployment = await session.call('deployments.show', { params: { id } });
    return {
      data: deployment,
      view: describeDeployment(deployment),
      next: hasEnded(deployment.state) ? [] : [{ command: `svc deployments watch ${id}`, when: 'to watch it' }],
    };
  },
});
