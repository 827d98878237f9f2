import { defineCommand, optional, toggle } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Result } from '../result.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'validate',
  summary: 'Check a project without sending anything: every fault at once, with line and column',
  needs: 'nothing',
  examples: ['svc validate', 'svc validate ./greeter/agent.yaml --fix'],
  arguments: { file: optional('The agent.yaml or its directory; ./agent.yaml unless told') },
  flags: { fix: toggle('Show and apply the edits that mend a fault') },
  async run({ file, fix }, session): Promise<Result> {
    const { checkProject } = await import('@gantry/contract/agent-project.ts');
    const { describeFindings } = await import('../project/describe-findings.ts');
    const { leftOutNotices, readProject } = await import('../project/read-project.ts');
    const project = readProject(file);
    const fixed = fix
      ? (await import('../project/fix-files.ts')).fixFiles(project, checkProject(project).findings)
      : [];
    const { config, deployable, findings, export_name } = checkProject(project);
    for (const notice of leftOutNotices(project)) session.output.notice(notice);

    const faults = findings.filter(({ severity }) => severity === 'error').length;
    const mendable = !fix && findings.some(({ edit }) => edit !== undefined);
    const verdict = deployable
      ? line(
          good('✓ '),
          `${config?.name ?? ''} ${config?.version ?? ''} can be deployed${export_name === undefined ? '' : `: ${config?.framework ?? ''}, exported as ${export_name}`}`,
        )
      : line({ text: `✗ ${faults === 1 ? 'one fault' : `${faults} faults`}`, style: 'bad' });
    return {
      data: { valid: deployable, directory: project.directory, findings, fixed: fixed.map(({ file: name }) => name) },
      view: [...fixed.flatMap(({ view }) => view), ...describeFindings(findings), verdict],
      exit: deployable ? exitCodes.done : exitCodes.refused,
      next: [
        ...(mendable ? [{ command: 'svc validate --fix', when: 'to apply the edits suggested above' }] : []),
        ...(deployable ? [{ command: 'svc submit --message "…"', when: 'to push it and ask for approval' }] : []),
      ],
    };
  },
});
