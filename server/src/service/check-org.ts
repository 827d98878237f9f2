// The spec's checklist for who hosts the service themselves (Authentication 11), each line with a verdict that was looked up.
import type { orgCheck } from '@gantry/contract/org.ts';
import { rotate_after_days } from '@gantry/contract/service-principals.ts';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { settings } from '../principals/find.ts';
import { oldKeys } from '../service-principals/find.ts';

export type OrgCheckLine = z.output<typeof orgCheck>;

export async function checkOrg(
  db: Database,
  config: Pick<Config, 'host' | 'trusted_proxies' | 'audit_push'>,
): Promise<OrgCheckLine[]> {
  const { require_approval_for_admins } = await settings(db);
  const old = await oldKeys(db, rotate_after_days);
  return [
    line('provider', false, 'Sign-in is local: e-mail and password. No other provider works yet.', null),
    line(
      'secret key',
      true,
      'SECRET_KEY is random and has 256 bits or more; the service does not start without.',
      null,
    ),
    line(
      'approval for admins',
      require_approval_for_admins,
      require_approval_for_admins ? 'Admins need an approval, too.' : 'Admins deploy without an approval.',
      'In regulated settings: svc org set require_approval_for_admins true',
    ),
    line('team budgets', false, 'There is no model gateway yet that could hold teams to a budget.', null),
    reach(config),
    line(
      'copies of the audit log',
      config.audit_push.urls.length > 0,
      config.audit_push.urls.length > 0
        ? `They go to ${config.audit_push.urls.map((url) => new URL(url).host).join(', ')}.`
        : 'The audit log is kept here alone.',
      'Send them to a SIEM: AUDIT_PUSH_URL. Or fetch them: svc audit export',
    ),
    line(
      'service principal keys',
      old.length === 0,
      old.length === 0
        ? `No key is older than ${rotate_after_days} days.`
        : `Older than ${rotate_after_days} days: ${old.map(({ name, key_age_days }) => `${name} (${key_age_days} days)`).join(', ')}.`,
      'Give them new ones: svc principal rotate <name> --grace 24h',
    ),
  ];
}

function reach({ host, trusted_proxies }: Pick<Config, 'host' | 'trusted_proxies'>): OrgCheckLine {
  const name = 'behind a VPN or proxy';
  if (host === 'localhost' || host === '::1' || host.startsWith('127.'))
    return line(name, true, `The API listens on ${host}: only this machine reaches it.`, null);
  if (trusted_proxies.length > 0)
    return line(name, true, `A proxy stands before it: ${trusted_proxies.join(', ')}.`, null);
  return {
    name,
    verdict: 'unknown',
    detail: `The API listens on ${host}; whether a VPN stands before that, it cannot see.`,
    hint: 'Put a proxy before it and name its address in TRUSTED_PROXIES, or let HOST be an address of the VPN.',
  };
}

function line(name: string, isMet: boolean, detail: string, hint: string | null): OrgCheckLine {
  return { name, verdict: isMet ? 'met' : 'not_met', detail, hint: isMet ? null : hint };
}
