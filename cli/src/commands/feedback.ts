import { agentArgument } from '../agent/agent-name.ts';
import { defineCommand, required, text, toggle } from '../command.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'feedback',
  summary: 'Say that the answer of one of your calls was bad, or good; it is kept with its trace',
  needs: 'asset.invoke',
  examples: [
    'svc feedback desk 0190a5e0-7c1a-7cc3-98c4-dc0c0c07398f --good',
    'svc feedback desk 0190a5e0-7c1a-7cc3-98c4-dc0c0c07398f --reason "wrong price"',
  ],
  arguments: { name: agentArgument, run: required('The id of the run') },
  flags: { good: toggle('It was good; bad without it'), reason: text('Why', 'text') },
  async run({ name, run: run_id, good: is_good, reason = '' }, session) {
    await session.call('invoke.feedback', { params: { name, run_id }, body: { is_good, reason } });
    return {
      data: { run_id, is_good },
      view: [line(good('✓ '), `The trace of the run says that its answer was ${is_good ? 'good' : 'bad'}`)],
    };
  },
});
