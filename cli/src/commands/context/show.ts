import { defineCommand } from '../../command.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'context show',
  summary: 'The team you act for',
  needs: 'nothing',
  examples: ['svc context show', 'svc context show --json'],
  arguments: {},
  flags: {},
  run(_input, session) {
    const team = session.team ?? null;
    const sentence = team === null ? 'No team is set: you act for your primary team' : team;
    return Promise.resolve({
      data: { team, server: session.server },
      view: [line(sentence)],
      next: team === null ? [{ command: 'svc context use <team>', when: 'to act for another team' }] : [],
    });
  },
});
