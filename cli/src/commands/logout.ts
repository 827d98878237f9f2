import { defineCommand, toggle } from '../command.ts';
import { forgetToken } from '../session/tokens.ts';
import { good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'logout',
  summary: 'Delete the session on this machine; --revoke also ends it on the service',
  needs: 'nothing',
  examples: ['svc logout', 'svc logout --revoke'],
  arguments: {},
  flags: {
    revoke: toggle('Also end the session on the service, so that its token works nowhere'),
    all: toggle('With --revoke: end all of your sessions'),
  },
  async run({ revoke, all }, session) {
    if (revoke || all) await session.call('auth.revoke', { body: { all } });
    const forgotten = await forgetToken(session.config, session.origin);
    const sentence = forgotten ? `Signed out of ${session.server}` : `No session for ${session.server} is stored here`;
    const remaining = !revoke && !all && forgotten ? '; the token itself stays valid until it expires' : '';
    return {
      data: { server: session.server, forgotten, revoked: revoke || all },
      view: [line(good('✓ '), sentence + remaining)],
      undo: 'svc login',
    };
  },
});
