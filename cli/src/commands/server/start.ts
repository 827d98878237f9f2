import { defineCommand, toggle } from '../../command.ts';
import { describeStart } from '../../server/describe-start.ts';
import { becomeServer, startServer } from '../../server/server-process.ts';

export const command = defineCommand({
  words: 'server start',
  summary: 'Start the service on this machine, in the background, unless it runs',
  needs: 'this machine',
  examples: ['svc server start', 'svc server start --foreground'],
  arguments: {},
  flags: {
    foreground: toggle('Become the service, until SIGTERM: for systemd and other supervisors; the log goes to stdout'),
  },
  async run({ foreground }, session) {
    if (foreground) becomeServer(session);
    const server = await startServer(session);
    return await describeStart(session, server, server.started ? 'started' : 'running');
  },
});
