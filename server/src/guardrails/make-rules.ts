import type { Guardrail } from '@gantry/contract/guardrails.ts';
import type { Rule } from './rule.ts';
import { contentFilter } from './rules/content-filter.ts';
import { hallucinationCheck } from './rules/hallucination-check.ts';
import { jsonSchema } from './rules/json-schema.ts';
import { maxLength } from './rules/max-length.ts';
import { piiDetection } from './rules/pii-detection.ts';
import { promptInjection } from './rules/prompt-injection.ts';
import { topics } from './rules/topics.ts';

/** The rules of one guardrail. Throws on a pattern that RE2 does not take and on a schema that is none. */
export function makeRules(guardrail: Guardrail, agent_model: string | undefined): Rule[] {
  switch (guardrail.name) {
    case 'pii_detection':
      return piiDetection(guardrail.options ?? {});
    case 'content_filter':
      return contentFilter(guardrail.options ?? {}, agent_model);
    case 'prompt_injection':
      return promptInjection(guardrail.options ?? {});
    case 'hallucination_check':
      return [hallucinationCheck(guardrail.options ?? {}, agent_model)];
    case 'max_length':
      return [maxLength(guardrail.options)];
    case 'json_schema':
      return [jsonSchema(guardrail.options)];
    case 'topics':
      return topics(guardrail.options);
  }
}
