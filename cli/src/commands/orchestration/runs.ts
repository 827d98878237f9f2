import { runStates } from '@gantry/contract/agents/run-states.ts';
import { choice, defineCommand, required, text } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { state, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'orchestration runs',
  summary: 'The runs of an orchestration: your own, and for its admins all',
  needs: 'asset.invoke',
  examples: ['svc orchestration runs report', 'svc orchestration runs report --state failed --limit 5 --json'],
  arguments: { name: required('The name of the orchestration') },
  flags: {
    state: choice('Only runs in this state', runStates),
    version: text('Only runs of this version', 'version'),
    limit: limitFlag,
  },
  async run({ name, state: only, version, limit }, session) {
    const runs = await takePages(session, limit, (query) =>
      session.call('orchestrate.runs', {
        params: { name },
        query: {
          ...query,
          ...(only === undefined ? {} : { state: only }),
          ...(version === undefined ? {} : { version }),
        },
      }),
    );
    return {
      data: runs,
      view: [
        table(
          ['run', 'version', 'state', 'caller', 'started'],
          runs.map((run) => [
            run.run_id,
            run.ref.split('@')[1] ?? '',
            state(run.problem_code ?? run.status ?? run.state),
            run.caller,
            time(run.created_at),
          ]),
          'No runs yet.',
        ),
      ],
      next: runs
        .slice(0, 1)
        .map(({ run_id }) => ({ command: `svc orchestration run ${name} --run ${run_id}`, when: 'to see the newest' })),
    };
  },
});
