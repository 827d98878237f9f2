import { rotate_after_days, type ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { text, type Input } from '../command.ts';
import type { Output } from '../output.ts';
import { fields, line, strong, table, time, warn, type View } from '../view/view.ts';

/** Globs, separated by commas; an empty text is an empty list. */
export const allowedAssetsFlag: Input<string[] | undefined> = {
  ...text('The allowed assets: globs, separated by commas, such as "agents/*,tools/search" (default none)', 'globs'),
  read: (given) =>
    given === undefined
      ? undefined
      : String(given)
          .split(',')
          .map((glob) => glob.trim())
          .filter((glob) => glob !== ''),
};

export function describePrincipal(principal: ServicePrincipal): View {
  return [
    fields({
      Principal: `principal:${principal.name}`,
      Team: principal.team,
      Role: principal.role,
      Reaches: principal.allowed_assets.join(', ') || warn('nothing: it has no allowed assets'),
      Description: principal.description === '' ? undefined : principal.description,
      'Created by': principal.created_by,
      Created: time(principal.created_at),
    }),
    table(
      ['key', 'issued to', 'since', 'last used', 'ends'],
      principal.keys.map(({ prefix, issued_to, created_at, last_used_at, ends_at }) => [
        `${prefix}…`,
        issued_to,
        time(created_at),
        last_used_at === null ? 'never' : time(last_used_at),
        ends_at === null ? '-' : time(ends_at),
      ]),
      `No key works. Create one: svc principal rotate ${principal.name}`,
    ),
  ];
}

/** The key itself, shown once. */
export function describeKey(key: string | undefined): View {
  if (key === undefined) return [];
  return [line('  key  ', strong(key), '  ', warn('shown once; give it to the pipeline as SERVICE_API_KEY'))];
}

export function warnAboutOldKeys(output: Output, principals: readonly ServicePrincipal[]): void {
  for (const { name, key_is_old, key_age_days } of principals)
    if (key_is_old)
      output.notice(
        `The key of principal:${name} is ${key_age_days} days old; replace it about every ${rotate_after_days} days: svc principal rotate ${name}`,
      );
}
