import { defineCommand, optional, toggle } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { Result } from '../../result.ts';
import { bad, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'orchestration validate',
  summary: 'Check an orchestration.yaml without sending anything: every fault at once, with line and column',
  needs: 'nothing',
  examples: ['svc orchestration validate', 'svc orchestration validate ./support --fix'],
  arguments: { file: optional('The orchestration.yaml or its directory (default ./orchestration.yaml)') },
  flags: { fix: toggle('Show and apply the edits that fix a fault') },
  async run({ file, fix }): Promise<Result> {
    const { orchestrationDirectory, readOrchestration } = await import('../../orchestration/read-orchestration.ts');
    const { fixFiles } = await import('../../project/fix-files.ts');
    const { describeFindings } = await import('../../project/describe-findings.ts');
    const directory = orchestrationDirectory(file);
    const fixed = fix ? fixFiles({ directory }, readOrchestration(directory).findings) : [];
    const { config, findings } = readOrchestration(directory);
    const faults = findings.filter(({ severity }) => severity === 'error').length;
    const fixable = !fix && findings.some(({ edit }) => edit !== undefined);
    const verdict =
      config === undefined
        ? line(bad(`✗ ${faults === 1 ? 'one fault' : `${faults} faults`}`))
        : line(good('✓ '), `${config.name} ${config.version} is valid: ${config.strategy} of ${config.agents.length}`);
    return {
      data: { valid: config !== undefined, directory, findings, fixed: fixed.map(({ file: name }) => name) },
      view: [...fixed.flatMap(({ view }) => view), ...describeFindings(findings), verdict],
      exit: config === undefined ? exitCodes.refused : exitCodes.done,
      next: [
        ...(fixable
          ? [{ command: 'svc orchestration validate --fix', when: 'to apply the edits suggested above' }]
          : []),
        ...(config === undefined ? [] : [{ command: 'svc orchestration push', when: 'to store it as a version' }]),
      ],
    };
  },
});
