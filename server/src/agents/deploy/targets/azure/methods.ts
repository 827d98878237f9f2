// Every call of Azure that the service makes, by the name that Azure's own client gives it, and the actions that Azure asks for. Nothing else is sent,
// so the policy has neither more nor fewer actions.

export interface Method {
  api: 'arm' | 'logs';
  verb: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{}` is the id of the thing, or of what it is in. */
  path: string;
  /** Undefined where an answer of Azure has named it, or where the path has it. */
  version?: string;
  actions: readonly string[];
}

/** The one of the client that the tests compare with. */
const apps_version = '2025-07-01';

export const methods = {
  'ContainerApps.createOrUpdate': {
    api: 'arm',
    verb: 'PUT',
    path: '{}',
    version: apps_version,
    actions: [
      'Microsoft.App/containerApps/write',
      'Microsoft.App/managedEnvironments/join/action',
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
    ],
  },
  'ContainerApps.get': {
    api: 'arm',
    verb: 'GET',
    path: '{}',
    version: apps_version,
    actions: ['Microsoft.App/containerApps/read'],
  },
  'ContainerApps.listByResourceGroup': {
    api: 'arm',
    verb: 'GET',
    path: '{}/providers/Microsoft.App/containerApps',
    version: apps_version,
    actions: ['Microsoft.App/containerApps/read'],
  },
  'ContainerApps.delete': {
    api: 'arm',
    verb: 'DELETE',
    path: '{}',
    version: apps_version,
    actions: ['Microsoft.App/containerApps/delete'],
  },
  'ContainerApps.listSecrets': {
    api: 'arm',
    verb: 'POST',
    path: '{}/listSecrets',
    version: apps_version,
    actions: ['Microsoft.App/containerApps/listSecrets/action'],
  },
  // The address that Azure named when it began the work.
  operation: {
    api: 'arm',
    verb: 'GET',
    path: '{}',
    actions: [
      'Microsoft.App/locations/containerappOperationStatuses/read',
      'Microsoft.App/locations/containerappOperationResults/read',
    ],
  },
  'ManagedEnvironments.get': {
    api: 'arm',
    verb: 'GET',
    path: '{}',
    version: apps_version,
    actions: ['Microsoft.App/managedEnvironments/read'],
  },
  'Permissions.listForResourceGroup': {
    api: 'arm',
    verb: 'GET',
    path: '{}/providers/Microsoft.Authorization/permissions',
    version: '2022-04-01',
    actions: ['Microsoft.Authorization/permissions/read'],
  },
  'Query.execute': {
    api: 'logs',
    verb: 'POST',
    path: '/v1/workspaces/{}/query',
    actions: [
      'Microsoft.OperationalInsights/workspaces/query/read',
      'Microsoft.OperationalInsights/workspaces/query/Tables.Custom/read',
    ],
  },
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof methods;
