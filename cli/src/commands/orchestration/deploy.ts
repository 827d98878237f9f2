import { statSync } from 'node:fs';
import { defineCommand, optional, text } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import type { Result } from '../../result.ts';
import type { Session } from '../../session/session.ts';
import { faint, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'orchestration deploy',
  summary: 'Deploy an orchestration: all members can be called, then calls run this version',
  needs: 'agent.deploy',
  examples: [
    'svc orchestration deploy',
    'svc orchestration deploy report',
    'svc orchestration deploy report --version 1.2.0',
  ],
  arguments: {
    what: optional(
      'Its name in the registry; or a directory: its members beside it and its file are deployed too (default .)',
    ),
  },
  flags: { version: text('Of one in the registry: another version than the highest', 'version') },
  async run({ what = '.', version }, session): Promise<Result> {
    const isFolder = statSync(what, { throwIfNoEntry: false }) !== undefined;
    if (isFolder && version !== undefined)
      throw misuse('--version is for the name of an orchestration in the registry');
    const name = isFolder ? await pushFolder(session, what) : what;
    const deployed = await session.call('orchestrations.deploy', {
      params: { name },
      body: version === undefined ? {} : { version },
    });
    const before = deployed.previous_version;
    return {
      data: deployed,
      view: [
        line(good('✓ '), `${deployed.ref} answers at ${deployed.path}/invoke`),
        ...deployed.notices.map((notice) => line(faint(notice))),
      ],
      next: [{ command: `svc orchestration run ${name} "…"`, when: 'to run it' }],
      ...(before === null ? {} : { undo: `svc orchestration deploy ${name} --version ${before}` }),
    };
  },
});

/** Returns the name of the orchestration. */
async function pushFolder(session: Session, given: string): Promise<string> {
  const { orchestrationDirectory, readValidOrchestration } = await import('../../orchestration/read-orchestration.ts');
  const { deployMembers } = await import('../../orchestration/deploy-members.ts');
  const { pushOrchestration } = await import('../../orchestration/push-orchestration.ts');
  const directory = orchestrationDirectory(given);
  const config = readValidOrchestration(session, directory);
  await deployMembers(session, directory, config);
  const { ref } = await pushOrchestration(session, config);
  session.output.note(`${ref} is pushed`);
  return config.name;
}
