// Every call of Google's APIs that the service makes, by the name that the API's own description gives it, and the permissions that Google asks for.
// Nothing else is sent, so the policy has neither more nor fewer permissions.

export interface Method {
  verb: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{}` is the name of the thing, or of what it is in. */
  path: string;
  permissions: readonly string[];
}

export const methods = {
  'run.projects.locations.workerPools.create': {
    verb: 'POST',
    path: 'v2/{}/workerPools',
    permissions: ['run.workerpools.create'],
  },
  'run.projects.locations.workerPools.get': { verb: 'GET', path: 'v2/{}', permissions: ['run.workerpools.get'] },
  'run.projects.locations.workerPools.list': {
    verb: 'GET',
    path: 'v2/{}/workerPools',
    permissions: ['run.workerpools.list'],
  },
  'run.projects.locations.workerPools.patch': {
    verb: 'PATCH',
    path: 'v2/{}',
    permissions: ['run.workerpools.update'],
  },
  'run.projects.locations.workerPools.delete': {
    verb: 'DELETE',
    path: 'v2/{}',
    permissions: ['run.workerpools.delete'],
  },
  'run.projects.locations.operations.get': { verb: 'GET', path: 'v2/{}', permissions: ['run.operations.get'] },
  'secretmanager.projects.secrets.create': {
    verb: 'POST',
    path: 'v1/{}/secrets',
    permissions: ['secretmanager.secrets.create'],
  },
  'secretmanager.projects.secrets.get': { verb: 'GET', path: 'v1/{}', permissions: ['secretmanager.secrets.get'] },
  'secretmanager.projects.secrets.delete': {
    verb: 'DELETE',
    path: 'v1/{}',
    permissions: ['secretmanager.secrets.delete'],
  },
  'secretmanager.projects.secrets.addVersion': {
    verb: 'POST',
    path: 'v1/{}:addVersion',
    permissions: ['secretmanager.versions.add'],
  },
  'secretmanager.projects.secrets.versions.list': {
    verb: 'GET',
    path: 'v1/{}/versions',
    permissions: ['secretmanager.versions.list'],
  },
  'secretmanager.projects.secrets.versions.access': {
    verb: 'GET',
    path: 'v1/{}:access',
    permissions: ['secretmanager.versions.access'],
  },
  'secretmanager.projects.secrets.versions.destroy': {
    verb: 'POST',
    path: 'v1/{}:destroy',
    permissions: ['secretmanager.versions.destroy'],
  },
  'logging.entries.list': { verb: 'POST', path: 'v2/entries:list', permissions: ['logging.logEntries.list'] },
  // Whoever asks about their own permissions needs none.
  'cloudresourcemanager.projects.testIamPermissions': {
    verb: 'POST',
    path: 'v3/{}:testIamPermissions',
    permissions: [],
  },
  'iam.projects.serviceAccounts.testIamPermissions': {
    verb: 'POST',
    path: 'v1/{}:testIamPermissions',
    permissions: [],
  },
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof methods;
