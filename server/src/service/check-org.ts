// The spec's checklist for self-hosting (Authentication 11). Each line has a verdict from the running service.
import type { orgCheck } from '@gantry/contract/people/org.ts';
import { rotate_after_days } from '@gantry/contract/people/service-principals.ts';
import { signInProvider, signInProviders } from '@gantry/contract/people/sign-in-providers.ts';
import type { z } from 'zod';
import type { Config } from '../ground/config/config.ts';
import type { Database } from '../ground/database/database.ts';
import { teamsWithoutBudget } from '../models/keys/holders/key-defaults.ts';
import { offeredProviders, settings } from '../people/principals/find.ts';
import { oldKeys } from '../people/service-principals/find.ts';

export type OrgCheckLine = z.output<typeof orgCheck>;

export async function checkOrg(
  db: Database,
  config: Pick<Config, 'host' | 'trusted_proxies' | 'audit_push'>,
): Promise<OrgCheckLine[]> {
  const { require_approval_for_admins, agent_egress } = await settings(db);
  const unlimited = await teamsWithoutBudget(db);
  const old = await oldKeys(db, rotate_after_days);
  return [
    provider(await offeredProviders(db)),
    line(
      'secret key',
      true,
      'SECRET_KEY is random and has at least 256 bits; the service requires that at its start.',
      null,
    ),
    line(
      'approval for admins',
      require_approval_for_admins,
      require_approval_for_admins ? 'Admins need an approval too.' : 'Admins deploy without an approval.',
      'For a regulated environment: svc org set require_approval_for_admins true',
    ),
    line(
      'team budgets',
      unlimited.length === 0,
      unlimited.length === 0
        ? 'Each team has a budget for calls to models.'
        : `Without a budget for calls to models: ${unlimited.map((team) => `team:${team}`).join(', ')}.`,
      'Limit what a team spends: svc team budget set <team> --monthly 500',
    ),
    line(
      'outgoing connections of agents',
      agent_egress !== 'open',
      {
        open: 'agent_egress is open: an agent without `deploy.egress` reaches the whole internet, past its budget and guardrails.',
        listed: 'agent_egress is listed: agents reach the model gateway and the destinations in their `deploy.egress`.',
        gateway_only: 'agent_egress is gateway_only: agents reach only the model gateway.',
      }[agent_egress],
      'Limit new containers: svc org set agent_egress listed',
    ),
    reach(config),
    line(
      'copies of the audit log',
      config.audit_push.urls.length > 0,
      config.audit_push.urls.length > 0
        ? `The copies go to ${config.audit_push.urls.map((url) => new URL(url).host).join(', ')}.`
        : 'The audit log has no copy outside this service.',
      'Send copies to a SIEM: AUDIT_PUSH_URL. Or export them: svc audit export',
    ),
    line(
      'service principal keys',
      old.length === 0,
      old.length === 0
        ? `No key is older than ${rotate_after_days} days.`
        : `Older than ${rotate_after_days} days: ${old.map(({ name, key_age_days }) => `${name} (${key_age_days} days)`).join(', ')}.`,
      'Rotate the keys: svc principal rotate <name> --grace 24h',
    ),
  ];
}

/** With a provider outside, one place ends the access of people who leave. */
function provider(offered: readonly string[]): OrgCheckLine {
  const isOutside = offered.some((name) => signInProvider(name)?.keeps_passwords === false);
  const said = offered.map((name) => `${name}: ${signInProvider(name)?.about ?? 'unknown to this version'}`);
  const is_only_one = Object.keys(signInProviders).length === 1;
  return line(
    'provider',
    isOutside,
    `Sign-in is ${said.join('; ')}.${is_only_one ? ' No other provider works yet.' : ''}`,
    null,
  );
}

function reach({ host, trusted_proxies }: Pick<Config, 'host' | 'trusted_proxies'>): OrgCheckLine {
  const name = 'behind a VPN or proxy';
  if (host === 'localhost' || host === '::1' || host.startsWith('127.'))
    return line(name, true, `The API listens on ${host}: only this machine can reach it.`, null);
  if (trusted_proxies.length > 0)
    return line(name, true, `The API is behind a proxy: ${trusted_proxies.join(', ')}.`, null);
  return {
    name,
    verdict: 'unknown',
    detail: `The API listens on ${host}. The service cannot detect a VPN.`,
    hint: 'Put a proxy in front of the API and its address into TRUSTED_PROXIES, or set HOST to a VPN address.',
  };
}

function line(name: string, isMet: boolean, detail: string, hint: string | null): OrgCheckLine {
  return { name, verdict: isMet ? 'met' : 'not_met', detail, hint: isMet ? null : hint };
}
