// Requests to Azure, compared with what version 3.0.0 of Azure's own client makes of the same body. That client refuses missing fields and wrong
// types, and leaves out fields that it does not know, so both are seen. It knows no enum and no range.
import { isDeepStrictEqual } from 'node:util';
import { ContainerAppsAPIClient, type ContainerApp } from '@azure/arm-appcontainers';
import { pathOf } from '../../agents/deploy/targets/azure/azure-client.ts';
import { methods } from '../../agents/deploy/targets/azure/methods.ts';
import type { AzureRequest } from '../../agents/deploy/targets/azure/requests.ts';

interface Sent {
  method: string;
  url: string;
  body?: unknown;
}

class Captured extends Error {}

/** The faults of a request. Undefined for a method that the client does not have. */
export async function schemaFaults(request: AzureRequest): Promise<string[] | undefined> {
  const [, , subscription = '', , group = '', , , , id = ''] = request.name.split('/');
  let sent: Sent | undefined;
  const client = new ContainerAppsAPIClient(
    { getToken: async () => await Promise.resolve({ token: 'of a test', expiresOnTimestamp: Date.now() + 3_600_000 }) },
    subscription,
    {
      httpClient: {
        sendRequest: async ({ method, url, body }) => {
          sent = { method, url, body };
          return await Promise.reject(new Captured());
        },
      },
    },
  );
  const { containerApps, managedEnvironments } = client;
  const ask: Partial<Record<AzureRequest['method'], () => Promise<unknown>>> = {
    'ContainerApps.createOrUpdate': async () =>
      await containerApps.beginCreateOrUpdate(group, id, flat(request.body) as ContainerApp), // it may be wrong
    'ContainerApps.get': async () => await containerApps.get(group, id),
    'ContainerApps.listByResourceGroup': async () => await containerApps.listByResourceGroup(group).next(),
    'ContainerApps.delete': async () => await containerApps.beginDelete(group, id),
    'ContainerApps.listSecrets': async () => await containerApps.listSecrets(group, id),
    'ManagedEnvironments.get': async () => await managedEnvironments.get(group, id),
  };
  const own = ask[request.method];
  if (own === undefined) return undefined;
  try {
    await own();
  } catch (error) {
    if (!(error instanceof Captured)) return [error instanceof Error ? error.message : String(error)];
  }
  if (sent === undefined) return ['the client sends nothing'];
  const { pathname, search } = new URL(sent.url);
  const body: unknown = typeof sent.body === 'string' ? JSON.parse(sent.body) : undefined;
  const { verb } = methods[request.method];
  // A further page has a token that Azure has made.
  const path = pathOf(request).split('&%24skipToken=')[0] ?? '';
  return [
    ...(sent.method === verb ? [] : [`the client sends ${sent.method}, and not ${verb}`]),
    ...(`${pathname}${search}` === path ? [] : [`the client asks ${pathname}${search}, and not ${path}`]),
    ...(isDeepStrictEqual(body, request.body) ? [] : ['the client sends another body']),
  ];
}

/** As the client takes it: what is in `properties` stands beside the others. */
function flat(body: object | undefined): object {
  const { properties = {}, ...others } = (body ?? {}) as { properties?: object };
  return { ...others, ...properties };
}
