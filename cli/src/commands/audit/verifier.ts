import { defineCommand } from '../../command.ts';
import { verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'audit verifier',
  summary:
    'Print the program that verifies exports and proofs: one file for Node 20.12, without service, database or packages',
  needs: 'nothing',
  examples: ['svc audit verifier > verify.mjs', 'svc audit verifier --json'],
  arguments: {},
  flags: {},
  async run() {
    const { readFile } = await import('node:fs/promises');
    const program = await readFile(new URL('../../../../verifier/verify.mjs', import.meta.url), 'utf8');
    return { data: { program }, view: [verbatim(program.trimEnd())] };
  },
});
