import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { examineClient, examineService, type Finding } from '../server/examine.ts';
import { line, strong, state, type View } from '../view/view.ts';

export const command = defineCommand({
  words: 'doctor',
  summary:
    'Check client, service, engine, database and disk, with the fix for each fault; the service part needs an admin',
  needs: 'service.inspect',
  examples: ['svc doctor', 'svc doctor --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const findings = [...(await examineClient(session)), ...(await examineService(session))];
    const broken = findings.some(({ verdict }) => verdict === 'problem');
    return { data: findings, view: findings.flatMap(describe), exit: broken ? exitCodes.refused : exitCodes.done };
  },
});

function describe({ part, verdict, detail, fix }: Finding): View {
  const sign = { ok: '✓ ', warning: '! ', problem: '✗ ' }[verdict];
  return [
    line(
      { text: sign, style: verdict === 'ok' ? 'good' : verdict === 'warning' ? 'warn' : 'bad' },
      state(verdict),
      '  ',
      strong(part),
      `  ${detail}`,
    ),
    ...(fix === null ? [] : [line('    → ', fix)]),
  ];
}
