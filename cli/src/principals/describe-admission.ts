// How a user without a password gets one, for `svc user create` and `svc user reset-password`.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { toggle } from '../command.ts';
import { line, strong, time, warn, type View } from '../view/view.ts';

export const printPasswordFlag = toggle('Print a one-time password and send no mail, even where mail is set up');

export function describeAdmission({
  email,
  one_time_password,
  mail_expires_at,
}: Pick<Answer<Endpoints['users.create']>, 'email' | 'one_time_password' | 'mail_expires_at'>): View {
  if (mail_expires_at !== null)
    return [line(`  a mail to ${email} has a token to choose a password; it works until `, time(mail_expires_at))];
  if (one_time_password === undefined) return [];
  return [
    line(
      '  one-time password  ',
      strong(one_time_password),
      '  ',
      warn('shown once; must be changed at the first sign-in'),
    ),
  ];
}
