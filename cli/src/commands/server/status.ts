import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { askReady, findServer, logPlace } from '../../server/server-process.ts';
import { fields, line, state, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'server status',
  summary: 'Whether the service runs on this machine; exit 3 when it does not',
  needs: 'this machine',
  examples: ['svc server status', 'svc server status --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const holder = findServer(session.config);
    const data_directory = session.config.data_directory;
    if (holder === undefined) {
      return {
        data: { state: 'stopped', data_directory },
        view: [line('No service runs on this machine with the data in ', data_directory)],
        exit: exitCodes.unreachable,
        next: [{ command: 'svc server start', when: 'to start it' }],
      };
    }
    const answer = holder.url === null ? undefined : await askReady(session, holder.url);
    const ready = answer === 'ready';
    const fault = answer !== 'ready' && answer?.code === 'log_mismatch' ? answer.detail : undefined;
    const is = ready ? 'ready' : fault === undefined ? 'starting' : 'not ready';
    return {
      data: { state: is, ...(fault === undefined ? {} : { fault }), ...holder, data_directory },
      view: [
        fields({
          State: state(is),
          Why: fault,
          Address: holder.url,
          Process: holder.pid,
          Started: time(holder.started_at),
          Data: data_directory,
          Log: logPlace(session.config),
        }),
      ],
      exit: ready ? exitCodes.done : exitCodes.unreachable,
    };
  },
});
