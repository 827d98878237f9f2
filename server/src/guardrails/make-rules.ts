import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import type { Rule } from './rule.ts';

export function makeRules(_uses: NonNullable<AgentConfig['guardrails']>): Rule[] {
  return [];
}
