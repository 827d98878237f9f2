import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../server.ts';

export type Strategy = OrchestrationConfig['strategy'];

export function useConfig(name: string, version: string | undefined) {
  const { data, error } = useQuery({
    ...ask('registry.show_version', { params: { kind: 'orchestration', name, version: version ?? '' } }),
    enabled: version !== undefined,
  });
  // The service stores nothing else under this kind.
  return { config: data?.config as unknown as OrchestrationConfig | undefined, version: data, error };
}
