import { z } from 'zod';
import { kind } from './kind.ts';

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const group = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,88}[A-Za-z0-9_-]';
const inGroup = `/subscriptions/(${guid})/resourceGroups/${group}/providers/`;

/** An environment of Azure Container Apps. */
export const azure = kind({
  fields: {
    location: z
      .string()
      .regex(/^[a-z]{2,30}[0-9]?$/, 'is no location of Azure, such as westeurope')
      .optional()
      .describe('The location of the environment in Azure'),
    identity: z
      .string()
      .regex(
        new RegExp(`^${inGroup}Microsoft\\.ManagedIdentity/userAssignedIdentities/[A-Za-z0-9][A-Za-z0-9_-]{2,127}$`),
        'is not the id of a managed identity: /subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.ManagedIdentity/userAssignedIdentities/<name>',
      )
      .optional()
      .describe('The managed identity that pulls images. The code of agents does not get it'),
    workspace: z
      .string()
      .regex(new RegExp(`^${guid}$`), 'is not the id of a Log Analytics workspace, in small letters')
      .optional()
      .describe('The Log Analytics workspace that the environment writes its logs to, by its workspace id'),
  },
  check({ address, ca, location, identity, workspace, registry }, fault) {
    const environment = new RegExp(`^${inGroup}Microsoft\\.App/managedEnvironments/[a-z][a-z0-9-]{0,58}[a-z0-9]$`);
    const [, subscription] = environment.exec(address ?? '') ?? [];
    if (subscription === undefined)
      fault(
        'address',
        'is not the id of an environment: /subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.App/managedEnvironments/<name>',
      );
    for (const [field, value] of Object.entries({ location, identity, workspace }))
      if (value === undefined) fault(field, 'is missing; Azure needs it');
    if (subscription !== undefined && identity !== undefined && !identity.startsWith(`/subscriptions/${subscription}/`))
      fault('identity', 'is of another subscription than the environment');
    if (ca !== undefined) fault('ca', 'does not belong to `kind: azure`');
    // A token of Azure is sent to this registry.
    if (!/^https:\/\/[a-z0-9]{5,50}\.azurecr\.io(\/[a-z0-9]+([._-][a-z0-9]+)*)+$/.test(registry))
      fault('registry', 'is not https://<name>.azurecr.io/<repository>');
  },
});
