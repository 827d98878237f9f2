import { defineCommand } from '../../../command.ts';
import { baseArgument } from '../../../knowledge/asset.ts';
import { fields, good, line, strong, warn } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'kb hook create',
  summary: 'Make an address that refreshes a knowledge base when its source has changed; prints its secret, once',
  needs: 'asset.write',
  examples: ['svc kb hook create handbook', 'svc kb hook create handbook --json'],
  arguments: { base: baseArgument },
  flags: {},
  async run({ base: name }, session) {
    const hook = await session.call('knowledge.create_hook', { params: { name } });
    return {
      data: hook,
      view: [
        line(good('✓ '), `${name} is refreshed when its hook is called, with the rights of its owner`),
        fields({
          address: hook.address,
          ...(hook.secret !== undefined && { secret: [strong(hook.secret), '  ', warn('shown once')] }),
          GitHub: 'Webhooks: this URL and secret, content type application/json, only pushes',
          GitLab: 'Webhooks: this URL, the secret as its token, push events',
          others: 'POST JSON, with the header Authorization: Bearer <secret>',
        }),
      ],
      undo: `svc kb hook delete ${name}`,
    };
  },
});
