import { defineCommand, toggle } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { becomeServer, logPlace, startServer } from '../../server/server-process.ts';
import { bad, faint, good, line, link } from '../../view/view.ts';

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
    const { pid, url, fault, started } = await startServer(session);
    const log = logPlace(session.config);
    return {
      data: { pid, url, log, started, ...(fault === undefined ? {} : { not_ready: fault.detail }) },
      view: [
        line(
          good('✓ '),
          `The service ${started ? 'listens' : 'already runs and listens'} on `,
          link(url),
          faint(`  process ${pid}`),
        ),
        line(faint('  log  '), log),
        ...(fault === undefined ? [] : [line(bad('✗ '), `It is not ready: ${fault.detail}`)]),
      ],
      ...(started ? { undo: 'svc server stop' } : {}),
      ...(fault === undefined ? {} : { exit: exitCodes.refused, person_must_act: true }),
      next:
        fault === undefined
          ? [{ command: 'svc login', when: 'to sign in' }]
          : [
              { command: 'svc audit verify', when: 'to see the damage of the log' },
              { command: 'svc audit reseal --reason "…"', when: 'after a restore from a backup, and only then' },
            ],
    };
  },
});
