import { defineCommand } from '../../command.ts';
import { verbatim } from '../../view/view.ts';
import { places } from '../../places-of-files.ts';

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
    const program = await readFile(places.verifier, 'utf8');
    return { data: { program }, view: [verbatim(program.trimEnd())] };
  },
});
