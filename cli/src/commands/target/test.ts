import { defineCommand, required } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { findingLines } from '../../target/describe-target.ts';

export const command = defineCommand({
  words: 'target test',
  summary: 'Try the address, the credential and the registry of a target; exit 1 when one does not work',
  needs: 'target.change',
  examples: ['svc target test gpu-box', 'svc target test local --json'],
  arguments: { name: required('Its name', 'target') },
  flags: {},
  async run({ name }, session) {
    const findings = await session.call('targets.test', { params: { name } });
    return {
      data: findings,
      view: findingLines(findings),
      exit: findings.every(({ works }) => works) ? exitCodes.done : exitCodes.refused,
    };
  },
});
