import type { Planning } from '../../agents/deploy/targets/aws/requests.ts';
import type { Described } from '../../agents/deploy/targets/replicas/platform.ts';

export const described: Described = {
  name: 'svc-parrot-a1b2c3d4',
  revision_id: '7d1f3a52-0000-4000-8000-000000000001',
  agent: 'parrot',
  fence: 1,
  image: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/gantry/agents@sha256:'.padEnd(130, 'a'),
  variables: { SVC_AGENT_NAME: 'parrot' },
  resources: { cpu_count: 0.5, memory_bytes: 1024 ** 3 },
};

export const planning: Planning = {
  installation_id: '7d1f3a52-0000-4000-8000-000000000002',
  settings: {
    region: 'eu-west-1',
    cluster: 'agents',
    subnets: ['subnet-0a1b2c3d'],
    security_groups: ['sg-0a1b2c3d'],
    execution_role_arn: 'arn:aws:iam::123456789012:role/gantry-execution',
    repository: 'https://123456789012.dkr.ecr.eu-west-1.amazonaws.com/gantry/agents',
    service_url: 'https://gantry.example.com',
    log_group: '/gantry/agents',
  },
};
