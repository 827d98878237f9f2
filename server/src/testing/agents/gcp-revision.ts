import type { Planning } from '../../agents/deploy/targets/gcp/requests.ts';
import type { Described } from '../../agents/deploy/targets/replicas/platform.ts';

export const described: Described = {
  name: 'svc-parrot-a1b2c3d4',
  revision_id: '7d1f3a52-0000-4000-8000-000000000001',
  agent: 'parrot',
  fence: 1,
  image: `europe-west1-docker.pkg.dev/my-project/gantry/agents@sha256:${'a'.repeat(64)}`,
  variables: { SVC_AGENT_NAME: 'parrot' },
  resources: { cpu_count: 1, memory_bytes: 1024 ** 3 },
};

export const planning: Planning = {
  installation_id: '7d1f3a52-0000-4000-8000-000000000002',
  settings: {
    project: 'my-project',
    region: 'europe-west1',
    service_account: 'agents@my-project.iam.gserviceaccount.com',
    registry: 'https://europe-west1-docker.pkg.dev/my-project/gantry/agents',
    service_url: 'https://gantry.example.com',
  },
};
