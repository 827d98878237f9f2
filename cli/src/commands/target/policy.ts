import { defineCommand, required, text } from '../../command.ts';
import { good, line, verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target policy',
  summary: 'Show the least that the service needs on a target, as files that the owner of the place applies',
  needs: 'target.change',
  examples: ['svc target policy prod', 'svc target policy prod --output rbac'],
  arguments: { name: required('Its name', 'target') },
  flags: { output: text('Write the files into this folder instead of showing them', 'folder') },
  async run({ name, output }, session) {
    const files = await session.call('targets.policy', { params: { name } });
    if (output === undefined) return { data: files, view: files.map(({ content }) => verbatim(content)) };
    const { writePolicy } = await import('../../target/write-policy.ts');
    const written = writePolicy(output, files);
    return { data: written, view: written.map((path) => line(good('✓ '), path)) };
  },
});
