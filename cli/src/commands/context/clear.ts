import { defineCommand } from '../../command.ts';
import { activeTeam, setActiveTeam } from '../../session/context.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'context clear',
  summary: 'Act for your primary team again',
  needs: 'nothing',
  examples: ['svc context clear', 'svc context clear --server https://agents.example.com'],
  arguments: {},
  flags: {},
  run(_input, session) {
    const before = activeTeam(session.config, session.origin);
    setActiveTeam(session.config, session.origin, undefined);
    return Promise.resolve({
      data: { team: null },
      view: [line(good('✓ '), 'You act for your primary team again')],
      ...(before === undefined ? {} : { undo: `svc context use ${before}` }),
    });
  },
});
