import { defineCommand } from '../../command.ts';
import { baseArgument, snapshotArgument } from '../../knowledge/asset.ts';
import { sizeOf } from '../../thread/describe-thread.ts';
import { bad, fields, line, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb show',
  summary: 'The documents of a snapshot, the files that could not be read, and what is gone',
  needs: 'asset.read',
  examples: ['svc kb show handbook 3', 'svc kb show handbook 3 --json'],
  arguments: { base: baseArgument, snapshot: snapshotArgument },
  flags: {},
  async run({ base: name, snapshot: number }, session) {
    const one = await session.call('knowledge.snapshot', { params: { name, number } });
    const { listed, unreadable, gone } = one;
    const rows = listed.map(({ path, title, bytes, has_readers, change }) => [
      path,
      title,
      sizeOf(bytes),
      change,
      has_readers ? 'some' : 'all',
    ]);
    return {
      data: one,
      view: [
        fields({
          digest: one.digest,
          ...(one.commit !== null && { commit: one.commit }),
          serves: one.serves ? 'yes' : 'no',
          made: time(one.made_at),
          by: one.made_by,
        }),
        table(['path', 'title', 'size', 'change', 'readers'], rows, 'It has no document that you may read.'),
        ...unreadable.map(({ path, problem }) => line(bad(`not read: ${path}: ${problem}`))),
        ...gone.map((path) => line(`gone: ${path}`)),
      ],
      next: one.serves ? [] : [{ command: `svc kb serve ${name} ${number}`, when: 'to let searches find these' }],
    };
  },
});
