import { defineCommand, required } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { watchDeployment } from '../../deploy/watch-deployment.ts';

export const command = defineCommand({
  words: 'deployments watch',
  summary: 'Watch a deploy from its first step to its end, also one that has ended',
  needs: 'deployment.read',
  examples: [
    'svc deployments watch 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc deployments watch 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { deploy: required('The id of the deploy, or its first characters', 'deploy') },
  flags: {},
  async run({ deploy }, session) {
    const id = await findId(session, 'deploy', deploy);
    return await watchDeployment(session, await session.call('deployments.show', { params: { id } }));
  },
});
