import { parseVersionRef } from '@gantry/contract/refs.ts';
import { defineCommand, required } from '../command.ts';
import { misuse } from '../refusal.ts';
import { describeChanges, describeDiffs } from '../review/describe-changes.ts';

export const command = defineCommand({
  words: 'diff',
  summary: 'The changes between two versions of an asset: config, files, packages and access',
  needs: 'asset.read',
  examples: [
    'svc diff agents/greeter@1.0.0 agents/greeter@1.1.0',
    'svc diff prompts/greeting@1.0.0 prompts/greeting@1.1.0 --json',
  ],
  arguments: {
    from: required('The earlier version: agents/<name>@<version>'),
    to: required('The later version of the same asset'),
  },
  flags: {},
  async run({ from, to }, session) {
    const [before, after] = [readVersion(from), readVersion(to)];
    if (before.kind !== after.kind || before.name !== after.name)
      throw misuse(`${from} and ${to} are versions of two assets`, 'Name two versions of one asset.');
    const { kind, name } = before;
    const query = { from: before.version, to: after.version };
    const compared = await session.call('registry.difference', { params: { kind, name }, query });
    const { changes } = compared;
    return {
      data: compared,
      view: [...describeChanges({ changes, before: compared.from, after: compared.to }), ...describeDiffs(changes)],
    };
  },
});

function readVersion(given: string) {
  const ref = parseVersionRef(given);
  if (ref === undefined) throw misuse(`"${given}" is not a version of an asset`, 'Write it like agents/greeter@1.0.0.');
  return ref;
}
