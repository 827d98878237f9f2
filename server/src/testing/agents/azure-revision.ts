import type { Planning } from '../../agents/deploy/targets/azure/requests.ts';
import type { Described } from '../../agents/deploy/targets/replicas/platform.ts';

export const described: Described = {
  name: 'svc-parrot-a1b2c3d4',
  revision_id: 'a1b2c3d4-0000-4000-8000-000000000001',
  agent: 'parrot',
  fence: 1,
  image: `gantryagents.azurecr.io/agents@sha256:${'a'.repeat(64)}`,
  variables: { SVC_AGENT_NAME: 'parrot' },
  resources: { cpu_count: 1, memory_bytes: 2 * 1024 ** 3 },
};

const subscription = '00000000-0000-4000-8000-000000000001';
export const planning: Planning = {
  installation_id: '7d1f3a52-0000-4000-8000-000000000002',
  settings: {
    subscription,
    group: 'agents',
    environment: 'production',
    location: 'westeurope',
    identity: `/subscriptions/${subscription}/resourceGroups/agents/providers/Microsoft.ManagedIdentity/userAssignedIdentities/agents-pull`,
    workspace: '00000000-0000-4000-8000-000000000002',
    registry: 'https://gantryagents.azurecr.io/agents',
    service_url: 'https://gantry.example.com',
  },
};

/** Of the stand-in alone. */
export const credential = {
  tenant: '00000000-0000-4000-8000-000000000003',
  appId: '00000000-0000-4000-8000-000000000004',
  password: 'the secret of an application of the stand-in',
};
/** As `az ad sp create-for-rbac` prints it. */
export const key_file = JSON.stringify({ ...credential, displayName: 'gantry' });
