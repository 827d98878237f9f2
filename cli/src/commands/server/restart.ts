import { defineCommand } from '../../command.ts';
import { describeStart } from '../../server/describe-start.ts';
import { startServer, stopServer } from '../../server/server-process.ts';

export const command = defineCommand({
  words: 'server restart',
  summary: 'Stop the service on this machine and start it again; agents keep running, and answer again afterwards',
  needs: 'this machine',
  examples: ['svc server restart', 'svc server restart --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const stopped = await stopServer(session);
    return await describeStart(session, await startServer(session), stopped === undefined ? 'started' : 'restarted');
  },
});
