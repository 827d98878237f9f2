import { defineCommand, optional, text } from '../command.ts';
import { deciders, deployCommand, targetOf } from '../review/describe-approval.ts';
import { nextForPending } from '../review/next-for-pending.ts';
import { misuse } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { good, line, time } from '../view/view.ts';

export const command = defineCommand({
  words: 'submit',
  summary: 'Push a project and request its approval; --asset requests it for a pushed version',
  needs: 'approval.submit',
  examples: ['svc submit --message "first version"', 'svc submit --asset agents/greeter --message "once more"'],
  arguments: { file: optional('The agent.yaml or its directory (default ./agent.yaml)') },
  flags: {
    asset: text(
      'Request the approval of this instead of pushing: agents/<name> or agents/<name>@<version>',
      'reference',
    ),
    message: text('A message for the reviewer', 'text'),
    target: text('The target (default: deploy.cloud of agent.yaml, else local)', 'target'),
  },
  async run({ file, asset, message, target }, session): Promise<Result> {
    if (asset !== undefined && file !== undefined) throw misuse('Give a project or --asset, not both');
    const ref = asset ?? (await pushed(session, file, { message }));
    const approval = await session.call('approvals.submit', {
      body: { asset: ref, ...(message === undefined ? {} : { message }), ...(target === undefined ? {} : { target }) },
    });
    const version = `${approval.asset}@${approval.asset_version}`;
    const pending = approval.status === 'pending';
    const approvedFor = targetOf(approval);
    const where = approvedFor === null ? '' : ` for target ${approvedFor}`;
    return {
      data: approval,
      view: [
        line(
          good('✓ '),
          pending ? `Asked for the approval of ${version}${where}` : `${version} is ${approval.status}${where}`,
        ),
        line('  request  ', approval.id, '  ', time(approval.submitted_at)),
        ...(pending ? [line('  can decide  ', deciders(approval))] : []),
      ],
      person_must_act: pending,
      ...(pending ? { undo: `svc review withdraw ${approval.id}` } : {}),
      next: [
        ...(pending ? await nextForPending(session, approval) : []),
        ...(approvedFor === null
          ? []
          : [{ command: deployCommand(approval), when: 'run by a deployer of the team, once it is approved' }]),
      ],
    };
  },
});

async function pushed(
  session: Session,
  file: string | undefined,
  wish: { message: string | undefined },
): Promise<string> {
  const { readProject } = await import('../project/read-project.ts');
  const { pushProject } = await import('../project/push.ts');
  return (await pushProject(session, readProject(file), wish)).push.ref;
}
