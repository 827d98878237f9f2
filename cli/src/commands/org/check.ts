import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { bad, good, line, warn, type View } from '../../view/view.ts';

const signs = { met: good('✓ '), not_met: bad('✗ '), unknown: warn('? ') };

export const command = defineCommand({
  words: 'org check',
  summary: 'The checklist for a self-hosted installation, with a verdict per line',
  needs: 'org.check',
  examples: ['svc org check', 'svc org check --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const { lines } = await session.call('org.check', {});
    const view: View = lines.flatMap(({ name, verdict, detail, hint }) => [
      line(signs[verdict], `${name}: ${detail}`),
      ...(hint === null ? [] : [line('  → ', hint)]),
    ]);
    const isMet = lines.every(({ verdict }) => verdict === 'met');
    return { data: lines, view, ...(isMet ? {} : { exit: exitCodes.refused }) };
  },
});
