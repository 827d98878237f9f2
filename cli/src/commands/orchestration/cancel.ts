import { defineCommand, required } from '../../command.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'orchestration cancel',
  summary: 'Cancel a run of an orchestration, with the calls of its members; for its caller and for admins',
  needs: 'asset.invoke',
  examples: [
    'svc orchestration cancel report 01890a5d-ac96-774b-bcce-b302099a8057',
    'svc orchestration cancel report 01890a5d-ac96-774b-bcce-b302099a8057 --json',
  ],
  arguments: { name: required('The name of the orchestration'), run: required('The id of the run') },
  flags: {},
  async run({ name, run }, session) {
    const cancelled = await session.call('orchestrate.cancel', { params: { name, run_id: run } });
    return {
      data: cancelled,
      view: [line(`The run ${run} is being cancelled`)],
      next: [{ command: `svc orchestration run ${name} --run ${run}`, when: 'to see it end' }],
    };
  },
});
