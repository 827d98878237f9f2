import { defineCommand, required } from '../../command.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { findKey } from '../../keys/find-key.ts';
import { spentByKey } from '../../keys/spent.ts';

export const command = defineCommand({
  words: 'key show',
  summary: 'A gateway key with its models and limits, without its value',
  needs: 'key.list',
  examples: ['svc key show gtk_Zk3vQ1Lx', 'svc key show gtk_Zk3vQ1Lx --json'],
  arguments: { key: required('Its first 12 characters, or its id') },
  flags: {},
  async run({ key }, session) {
    const found = await findKey(session, key);
    const spent = (await spentByKey(session))(found.prefix);
    return { data: { ...found, spent_30_days: spent }, view: [describeKey(found, `${spent} in the last 30 days`)] };
  },
});
