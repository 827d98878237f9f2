import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import { tried } from '../tried.ts';
import type { Azure } from './azure-client.ts';
import type { AccessToken } from './credential.ts';
import { group_actions } from './policy.ts';
import { environmentOf, groupOf, type AzureSettings } from './settings.ts';

const held = z.object({
  value: z.array(z.object({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) })),
});
const environment = z.object({
  location: z.string(),
  properties: z.object({
    appLogsConfiguration: z
      .object({ logAnalyticsConfiguration: z.object({ customerId: z.string().nullish() }).nullish() })
      .nullish(),
  }),
});
const rows = z.object({ tables: z.array(z.unknown()) });

/** The identity, every action that the service uses in the group, the environment and the logs. A missing action is named. Makes nothing. */
export async function testGroup(
  { azure, token, settings }: { azure: Azure; token: AccessToken; settings: AzureSettings },
  signal: AbortSignal,
): Promise<TargetFinding[]> {
  const identity = await tried('identity', async () => {
    await token('arm', signal);
    return 'Azure accepts the credential';
  });
  if (!identity.works) return [identity];
  const group = groupOf(settings);
  const actions = tried('resource group', async () => {
    const found = await azure.call({ method: 'Permissions.listForResourceGroup', name: group }, held, signal);
    const missing = group_actions.filter((one) => !isHeld(one, found));
    if (missing.length > 0)
      throw new Problem('engine_unavailable', { detail: `the service has not ${missing.join(', ')} on ${group}` });
    return `the service has ${group_actions.join(', ')}`;
  });
  const place = tried('environment', async () => {
    const request = { method: 'ManagedEnvironments.get', name: environmentOf(settings) } as const;
    const { location, properties } = await azure.call(request, environment, signal);
    // Azure answers `West Europe` for `westeurope`.
    if (location.toLowerCase().replaceAll(' ', '') !== settings.location)
      throw new Problem('engine_unavailable', {
        detail: `the environment is in another location than ${settings.location}`,
      });
    const workspace = properties.appLogsConfiguration?.logAnalyticsConfiguration?.customerId ?? '';
    if (workspace.toLowerCase() !== settings.workspace)
      throw new Problem('engine_unavailable', {
        detail: `the environment does not write its logs to the workspace ${settings.workspace}`,
      });
    return `${settings.environment} is in ${settings.location} and writes to the workspace`;
  });
  const logs = tried('logs', async () => {
    const request = { method: 'Query.execute', name: settings.workspace, body: { query: 'print 1' } } as const;
    await azure.call(request, rows, signal);
    return 'the workspace answers';
  });
  return [identity, ...(await Promise.all([actions, place, logs]))];
}

/** Each entry is what one role gives: its actions without its exceptions. Both may have `*`. */
const isHeld = (action: string, { value }: z.output<typeof held>) =>
  value.some(({ actions, notActions }) => fits(action, actions) && !fits(action, notActions));

const fits = (action: string, patterns: readonly string[]) =>
  patterns.some((pattern) => {
    const parts = pattern.toLowerCase().split('*');
    return matches(action.toLowerCase(), parts);
  });

/** Without an expression made of an answer. */
function matches(text: string, [first = '', ...others]: readonly string[]): boolean {
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const found = index === others.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (found < at || !text.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return at === text.length;
}
