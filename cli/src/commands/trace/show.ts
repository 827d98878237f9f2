import { defineCommand, required, toggle } from '../../command.ts';
import { describeTrace } from '../../trace/describe-trace.ts';

export const command = defineCommand({
  words: 'trace show',
  summary: 'The spans of a trace as a tree, with times, tokens and cost',
  needs: 'trace.read',
  examples: [
    'svc trace show 4bf92f3577b34da6a3ce929d0e0e4736',
    'svc trace show 4bf92f3577b34da6a3ce929d0e0e4736 --content',
  ],
  arguments: { trace: required('The id of the trace') },
  flags: { content: toggle('Print input and output too: of your own calls, and as an admin of the agent') },
  async run({ trace: id, content }, session) {
    const trace = await session.call('traces.show', { params: { id } });
    return { data: trace, view: describeTrace(trace, { content }) };
  },
});
