import type { PasswordMail } from '../../people/login/admit.ts';
import { messageId, type Letter } from './compose.ts';

/**
 * The mail of an invitation or a reset. It has the only copy of the token. It has no text from a person, and its address is the service's
 * own.
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
    // Behind `#`: a browser sends it to nobody, and no log has it.
    `  ${base_url}/set-password#${token}`,
    '',
    'The link works once. In a terminal:',
    '',
    `  svc password set --server ${base_url}`,
    '',
    'It asks for this token:',
    '',
    `  ${token}`,
    '',
    `Then sign in:  svc login --server ${base_url} --email ${email}`,
    '',
    `Everybody with the token can set the password: show it to nobody. ${otherwise}`,
    '',
    `The service: ${base_url}`,
  ];
  return { to: email, subject: `[Gantry] ${subject}`, text: `${lines.join('\n')}\n`, message_id: messageId(id, from) };
}

const words: Record<PasswordMail['kind'], { subject: string; opening: (by: string) => string; otherwise: string }> = {
  invitation: {
    subject: 'You are invited',
    opening: (by) => `${by} invites you to Gantry, where your organisation runs its agents.`,
    otherwise: 'If you did not expect this mail, ignore it.',
  },
  reset: {
    subject: 'Choose a new password',
    opening: (by) =>
      `${by} reset your password in Gantry. Your old password no longer works, and you are signed out everywhere.`,
    otherwise: 'If you did not ask for this, contact them.',
  },
};
