import { leadOf, type OrchestrationConfig, type OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';

/** No fallbacks form a circle: the file is checked for that. A lead is nobody's fallback. */
export function withFallbacks(config: OrchestrationConfig, name: string): OrchestrationMember[] {
  const found = config.agents.find((member) => member.name === name);
  if (found === undefined) return [];
  const { fallback } = found;
  const hasNext = fallback !== undefined && fallback !== leadOf(config)?.name;
  return hasNext ? [found, ...withFallbacks(config, fallback)] : [found];
}
