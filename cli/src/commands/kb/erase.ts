import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { baseArgument } from '../../knowledge/asset.ts';
import { fields, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb erase',
  summary: 'Erase a document from every snapshot; a refresh does not bring the same content back',
  needs: 'asset.write',
  examples: ['svc kb erase handbook hr/pay', 'svc kb erase handbook hr/pay --yes --json'],
  arguments: { base: baseArgument, path: required('The path of the document') },
  flags: { yes: yesFlag },
  async run({ base: name, path, yes }, session) {
    await confirmFinal(session, {
      yes,
      deed: `Erase ${path} of ${name} from every snapshot, with its text, its chunks and its vectors`,
      otherwise: `${path} was not erased`,
    });
    const receipt = await session.call('knowledge.erase', { params: { name }, body: { path } });
    return {
      data: receipt,
      view: [
        line(good('✓ '), `${receipt.base} holds ${path} no longer`),
        fields({
          snapshots: receipt.snapshots.join(', ') || 'none',
          contents: receipt.contents.join(' '),
          'digest of the path': receipt.path_digest,
        }),
      ],
    };
  },
});
