import { choice, defineCommand, optional } from '../../command.ts';
import type { Result } from '../../result.ts';
import { faint, good, line, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'orchestration push',
  summary: 'Store an orchestration.yaml as a version; its references are checked',
  needs: 'asset.write',
  examples: ['svc orchestration push', 'svc orchestration push ./support --bump patch'],
  arguments: { file: optional('The orchestration.yaml or its directory (default ./orchestration.yaml)') },
  flags: { bump: choice('Raise the version in orchestration.yaml first', ['major', 'minor', 'patch']) },
  async run({ file, bump }, session): Promise<Result> {
    const { orchestration_file, orchestrationDirectory, readValidOrchestration } =
      await import('../../orchestration/read-orchestration.ts');
    const directory = orchestrationDirectory(file);
    if (bump !== undefined) {
      const { bumpFile } = await import('../../project/bump.ts');
      bumpFile(directory, orchestration_file, bump);
    }
    const config = readValidOrchestration(session, directory);
    const { pushOrchestration } = await import('../../orchestration/push-orchestration.ts');
    const pushed = await pushOrchestration(session, config);
    const { ref, digest, unchanged, created } = pushed;
    const { faults } = await session.call('orchestrations.check', {
      params: { name: config.name },
      query: { version: config.version },
    });
    const said = unchanged ? 'is already in the registry, with exactly this content' : 'is pushed';
    return {
      data: pushed,
      view: [
        line(good('✓ '), `${ref} ${said}`, faint(`  ${digest}`)),
        ...(faults.length === 0 ? [] : [line(warn('A deploy needs first:'))]),
        ...faults.map(({ member, message, command: first }) =>
          line(`  ${member}: ${message}`, faint(first === null ? '' : `  ${first}`)),
        ),
      ],
      ...(created ? { undo: `svc orchestration delete ${config.name}` } : {}),
      next: [
        { command: `svc orchestration deploy ${config.name}`, when: 'once it is approved, or as an admin' },
        { command: `svc submit --asset ${ref} --message "…"`, when: 'to ask for its approval' },
      ],
    };
  },
});
