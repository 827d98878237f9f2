import { defineCommand, required, text, values } from '../../../command.ts';
import { readNamed } from '../../../registry/named.ts';
import { good, line } from '../../../view/view.ts';

export const command = defineCommand({
  words: 'prompt example add',
  summary: 'Store values of the variables of a prompt as an example',
  needs: 'asset.write',
  examples: [
    'svc prompt example add greeting short --var name=Ada',
    'svc prompt example add greeting long --var name=Ada --expected "Two sentences, with the name"',
  ],
  arguments: {
    prompt: required('Its name', 'prompt'),
    example: required('The name of the example, such as short'),
  },
  flags: {
    var: values('A variable and its value; repeatable'),
    expected: text('What a good answer has, for the reader', 'text'),
  },
  async run({ prompt, example, var: variables, expected }, session) {
    const { name } = readNamed('prompt', prompt);
    const stored = await session.call('prompts.add_example', {
      params: { name },
      body: { name: example, variables, ...(expected !== undefined && { expected }) },
    });
    return {
      data: stored,
      view: [line(good('✓ '), `${example} is an example of prompts/${name}`)],
      next: [{ command: `svc prompt try ${name} --model <model> --example ${example}`, when: 'to try it' }],
      undo: `svc prompt example delete ${name} ${example}`,
    };
  },
});
