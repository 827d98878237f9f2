import { defineCommand, required } from '../../../command.ts';
import { confirmFinal, yesFlag } from '../../../input/confirm-final.ts';
import { readNamed } from '../../../registry/named.ts';
import { good, line } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'prompt example delete',
  summary: 'Delete a stored example of a prompt',
  needs: 'asset.write',
  examples: ['svc prompt example delete greeting short', 'svc prompt example delete greeting short --yes'],
  arguments: {
    prompt: required('Its name', 'prompt'),
    example: required('The name of the example: svc prompt examples <name>'),
  },
  flags: { yes: yesFlag },
  async run({ prompt, example, yes }, session) {
    const { name } = readNamed('prompt', prompt);
    const deed = `Delete the example ${example} of prompts/${name}`;
    await confirmFinal(session, { yes, deed, otherwise: `${example} was not deleted` });
    await session.call('prompts.delete_example', { params: { name, example } });
    return {
      data: { name: example, deleted: true },
      view: [line(good('✓ '), `${example} is no example of prompts/${name} any more`)],
    };
  },
});
