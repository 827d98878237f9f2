import type { CheckedProject } from '@gantry/project/agent-project.ts';
import { defineCommand, optional, toggle } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Result } from '../result.ts';
import { bad, good, line, type Block } from '../view/view.ts';

export const command = defineCommand({
  words: 'validate',
  summary: 'Check a project without sending anything: every fault at once, with line and column',
  needs: 'nothing',
  examples: ['svc validate', 'svc validate ./greeter/agent.yaml --fix'],
  arguments: { file: optional('The agent.yaml or its directory (default ./agent.yaml)') },
  flags: { fix: toggle('Show and apply the edits that fix a fault') },
  async run({ file, fix }, session): Promise<Result> {
    const { checkProject } = await import('@gantry/project/agent-project.ts');
    const { describeFindings } = await import('../project/describe-findings.ts');
    const { leftOutNotices, readProject } = await import('../project/read-project.ts');
    const project = readProject(file);
    const fixed = fix
      ? (await import('../project/fix-files.ts')).fixFiles(project, checkProject(project).findings)
      : [];
    const { withRuleTests } = await import('../project/with-rule-tests.ts');
    const checked = await withRuleTests(checkProject(project), project);
    const { deployable, findings } = checked;
    for (const notice of leftOutNotices(project)) session.output.notice(notice);

    const fixable = !fix && findings.some(({ edit }) => edit !== undefined);
    return {
      data: { valid: deployable, directory: project.directory, findings, fixed: fixed.map(({ file: name }) => name) },
      view: [...fixed.flatMap(({ view }) => view), ...describeFindings(findings), verdictOn(checked)],
      exit: deployable ? exitCodes.done : exitCodes.refused,
      next: [
        ...(fixable ? [{ command: 'svc validate --fix', when: 'to apply the edits suggested above' }] : []),
        ...(deployable ? [{ command: 'svc submit --message "…"', when: 'to push it and ask for approval' }] : []),
      ],
    };
  },
});

function verdictOn({ config, deployable, findings, export_name }: CheckedProject): Block {
  const faults = findings.filter(({ severity }) => severity === 'error').length;
  if (!deployable) return line(bad(`✗ ${faults === 1 ? 'one fault' : `${faults} faults`}`));
  const named = `${config?.name ?? ''} ${config?.version ?? ''}`;
  const exported = export_name === undefined ? '' : `: ${config?.framework ?? ''}, exported as ${export_name}`;
  return line(good('✓ '), `${named} can be deployed${exported}`);
}
