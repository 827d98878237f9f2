import type { PasswordMail } from '../login/admit.ts';
import { messageId, type Letter } from './compose.ts';

/**
 * What an invitation or a reset says. It holds the one copy of the token; nothing in it was written by a person, and its address is the
 * service's own.
 */
export function composePasswordMail(
  { email, kind, made_by, expires_at, token }: PasswordMail,
  { id, base_url, from }: { id: string; base_url: string; from: string },
): Letter {
  const { subject, opening, otherwise } = words[kind];
  const lines = [
    opening(made_by),
    '',
    `Choose a password until ${expires_at.slice(0, 16).replace('T', ' ')} UTC:`,
    '',
    `  svc password set --server ${base_url}`,
    '',
    'It asks for this token, which works once:',
    '',
    `  ${token}`,
    '',
    `Then sign in:  svc login --server ${base_url} --email ${email}`,
    '',
    `Whoever has the token can choose the password: show it to nobody. ${otherwise}`,
    '',
    `The service: ${base_url}`,
  ];
  return { to: email, subject: `[Gantry] ${subject}`, text: `${lines.join('\n')}\n`, message_id: messageId(id, from) };
}

const words: Record<PasswordMail['kind'], { subject: string; opening: (by: string) => string; otherwise: string }> = {
  invitation: {
    subject: 'You are invited',
    opening: (by) => `${by} invites you to Gantry, where your organisation runs its agents.`,
    otherwise: 'If you do not know what this is about, leave it: without it nothing happens.',
  },
  reset: {
    subject: 'Choose a new password',
    opening: (by) =>
      `${by} reset your password in Gantry. The one before works no more, and you are signed out everywhere.`,
    otherwise: 'If you did not ask for this, ask them why.',
  },
};
