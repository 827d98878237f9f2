// The guardrails of an agent as sentences, for who deploys or approves it.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { guardrailsOf, type Guardrail } from '@gantry/contract/guardrails.ts';
import { requiredOf, type RequiredGuardrail } from '@gantry/contract/guardrails/required.ts';
import { makeRules } from './make-rules.ts';

/** Empty for an agent without guardrails. */
export function describeGuardrails(
  { required_guardrails }: { required_guardrails: readonly RequiredGuardrail[] },
  { config, team }: { config: Pick<AgentConfig, 'guardrails' | 'model'>; team: string },
): string[] {
  const own = guardrailsOf(config.guardrails);
  const others = requiredOf(required_guardrails, team);
  if (own.length + others.length === 0) return [];
  const whole = [...own, ...others].filter((one) => makesWhole(one, config.model?.primary));
  return [
    `Guardrails: ${[namesOf(own), namesOf(others, ' (required by the organisation)')].filter((one) => one !== '').join(', ')}.`,
    ...(whole.length === 0 ? [] : [`${namesOf(whole)}: a streamed answer is sent in one piece.`]),
  ];
}

function namesOf(guardrails: readonly Guardrail[], remark = ''): string {
  return [...new Set(guardrails.map(({ name }) => name + remark))].join(', ');
}

/** A judge, or a rule that needs the whole text, on the way out. */
function makesWhole(guardrail: Guardrail, agent_model: string | undefined): boolean {
  return makeRules([guardrail], agent_model).some(
    (rule) =>
      rule.places.some((place) => place === 'model_out' || place === 'ingress_out') &&
      (rule.kind === 'judge' || rule.streams === 'whole'),
  );
}
