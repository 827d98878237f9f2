import { isLabel } from '@gantry/contract/refs.ts';
import { defineCommand, optional, required, text, toggle } from '../../command.ts';
import { yesFlag } from '../../input/confirm-final.ts';
import { readNamed } from '../../registry/named.ts';
import { CliRefusal, misuse } from '../../refusal.ts';
import { describeChanges } from '../../review/describe-changes.ts';
import type { Session } from '../../session/session.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'prompt label',
  summary: 'Let a label of a prompt mean another version, for all agents that name the label',
  needs: 'prompt.move_label',
  examples: [
    'svc prompt label greeting production 1.2.0',
    'svc prompt label greeting production 1.2.0 --yes',
    'svc prompt label greeting production --undo',
  ],
  arguments: {
    prompt: required('Its name', 'prompt'),
    label: required('The label, such as production; a new one is made'),
    version: optional('The version that it means from then on'),
  },
  flags: {
    undo: toggle('Back to the version before the last move'),
    from: text('Only if it means this version now', 'version'),
    yes: yesFlag,
  },
  async run({ prompt, label, version, undo, from: expected, yes }, session) {
    if (undo === (version !== undefined))
      throw misuse('give a version, or --undo', 'svc prompt label <name> <label> <version>');
    if (!isLabel(label)) throw misuse(`"${label}" is no label`, 'Write it like production, in lower case.');
    const { name } = readNamed('prompt', prompt);
    const labels = await session.call('prompts.labels', { params: { name } });
    const from = expected ?? labels.find((one) => one.label === label)?.version;
    if (version !== undefined && from !== undefined && from !== version && !yes)
      await confirm(session, { name, label, from, to: version });
    const moved = await session.call('prompts.move_label', {
      params: { name, label },
      body: { ...(version !== undefined && { version }), ...(from !== undefined && { from }) },
    });
    const before = from === undefined ? '' : `, and no longer ${from}`;
    return {
      data: moved,
      view: [line(good('✓ '), `${label} of prompts/${name} means ${moved.version}${before}`)],
      next: [{ command: `svc prompt labels ${name}`, when: 'to see all moves' }],
      ...(from === undefined ? {} : { undo: `svc prompt label ${name} ${label} --undo` }),
    };
  },
});

/** Shows what agents would read instead. */
async function confirm(
  session: Session,
  { name, label, from, to }: { name: string; label: string; from: string; to: string },
): Promise<void> {
  const { changes } = await session.call('registry.difference', {
    params: { kind: 'prompt', name },
    query: { from, to },
  });
  session.output.show(describeChanges({ changes, before: `prompts/${name}@${from}`, after: `prompts/${name}@${to}` }));
  if (!(await session.prompt.confirm(`Move ${label} from ${from} to ${to}?`, '--yes')))
    throw new CliRefusal('declined', 'the label was not moved');
}
