import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { baseArgument } from '../../knowledge/asset.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb delete-upload',
  summary: 'Delete an uploaded file; the next refresh leaves it out',
  needs: 'asset.write',
  examples: ['svc kb delete-upload handbook hr/leave.md', 'svc kb delete-upload handbook hr/leave.md --yes'],
  arguments: { base: baseArgument, path: required('Its path in the base: svc kb uploads') },
  flags: { yes: yesFlag },
  async run({ base: name, path, yes }, session) {
    await confirmFinal(session, { yes, deed: `Delete ${path} from ${name}`, otherwise: `${path} was not deleted` });
    await session.call('knowledge.delete_upload', { params: { name }, query: { path } });
    return {
      data: { path, deleted: true },
      view: [line(good('✓ '), `${path} is deleted`)],
      next: [{ command: `svc kb refresh ${name}`, when: 'to leave it out of what is searched' }],
    };
  },
});
