import { defineCommand, required } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'deployments cancel',
  summary: 'Cancel a deploy that has not switched yet; for its starter and for every deployer',
  needs: 'deployment.read',
  examples: [
    'svc deployments cancel 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc deployments cancel 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { deploy: required('The id of the deploy, or its first characters', 'deploy') },
  flags: {},
  async run({ deploy }, session) {
    const id = await findId(session, 'deploy', deploy);
    const deployment = await session.call('deployments.cancel', { params: { id } });
    return {
      data: deployment,
      view: [
        line(`The deploy of ${deployment.ref} is being cancelled: its steps are undone, and what runs keeps running`),
      ],
      next: [{ command: `svc deployments watch ${id}`, when: 'to see it end' }],
    };
  },
});
