import { defineCommand } from '../../command.ts';
import { stopServer } from '../../server/server-process.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'server stop',
  summary: 'Stop the service on this machine; agents keep running, and answer again after a start',
  needs: 'this machine',
  examples: ['svc server stop', 'svc server stop --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const stopped = await stopServer(session);
    return {
      data: { stopped: stopped !== undefined, pid: stopped?.pid ?? null },
      view: [
        line(
          good('✓ '),
          stopped === undefined
            ? 'No service runs on this machine'
            : `The service (process ${stopped.pid}) has stopped`,
        ),
      ],
      ...(stopped === undefined ? {} : { undo: 'svc server start' }),
    };
  },
});
