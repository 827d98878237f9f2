import { defineCommand } from '../command.ts';
import { line } from '../view/view.ts';

export const command = defineCommand({
  words: 'token',
  summary: 'Print the token of your session, for a script or for your own HTTP requests',
  needs: 'session.read',
  examples: ['svc token', 'svc token --server https://agents.example.com'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    // An ended token is not printed.
    const user = await session.call('auth.me', {});
    const { token, from } = (await session.token()) ?? { token: '', from: null }; // the call above needed one
    if (session.output.mode === 'terminal') {
      session.output.notice(
        `Everybody with this token acts as ${user.kind === 'user' ? user.email : user.name} until it ends. To end it now: svc logout --revoke`,
      );
    }
    return { data: { token, from, server: session.server }, view: [line(token)] };
  },
});
