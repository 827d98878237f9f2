import { defineCommand } from '../../command.ts';
import { logFile, startServer } from '../../server-process.ts';
import { faint, good, line, link } from '../../view/view.ts';

export const command = defineCommand({
  words: 'server start',
  summary: 'Start the service on this machine, in the background',
  needs: 'this machine',
  examples: ['svc server start', 'svc server start --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const { pid, url } = await startServer(session);
    const log = logFile(session.config);
    return {
      data: { pid, url, log },
      view: [
        line(good('✓ '), 'The service listens on ', link(url), faint(`  process ${pid}`)),
        line(faint('  log  '), log),
      ],
      undo: 'svc server stop',
      next: [{ command: 'svc login', when: 'to sign in' }],
    };
  },
});
