// Where each guardrail checks, and its default action there. The pipeline reads this table, and the reference page prints it.

export const guardrailNames = [
  'pii_detection',
  'content_filter',
  'prompt_injection',
  'hallucination_check',
  'max_length',
  'json_schema',
  'topics',
] as const;
export type GuardrailName = (typeof guardrailNames)[number];

/** The input of a call, text to a model, text from a model, arguments to a tool, the result of a tool, the answer of a call. */
export const places = ['ingress_in', 'model_in', 'model_out', 'tool_in', 'tool_out', 'ingress_out'] as const;
export type Place = (typeof places)[number];

type GuardrailAction = 'off' | 'redact' | 'block' | 'annotate';

export interface GuardrailPlace {
  /** The action without an option. */
  default: GuardrailAction;
  /** The other actions that an option can choose. */
  or: readonly GuardrailAction[];
}

const off: GuardrailPlace = { default: 'off', or: [] };
const block: GuardrailPlace = { default: 'block', or: [] };
const redact: GuardrailPlace = { default: 'redact', or: ['block'] };
/** A tool that gets a placeholder for a value may not work, so the option `tools` chooses it. */
const ofTools: GuardrailPlace = { default: 'off', or: ['redact', 'block'] };
const nowhere = { ingress_in: off, model_in: off, model_out: off, tool_in: off, tool_out: off, ingress_out: off };

export const guardrailPlaces: Record<GuardrailName, Record<Place, GuardrailPlace>> = {
  pii_detection: {
    ingress_in: off,
    model_in: redact,
    model_out: redact,
    tool_in: ofTools,
    tool_out: ofTools,
    ingress_out: redact,
  },
  content_filter: {
    ingress_in: block,
    model_in: block,
    model_out: block,
    tool_in: block,
    tool_out: block,
    ingress_out: block,
  },
  prompt_injection: {
    ingress_in: off,
    model_in: { default: 'block', or: ['redact'] },
    model_out: off,
    tool_in: off,
    tool_out: { default: 'block', or: ['redact'] },
    ingress_out: off,
  },
  hallucination_check: {
    ingress_in: off,
    model_in: off,
    model_out: off,
    tool_in: off,
    tool_out: off,
    ingress_out: { default: 'annotate', or: ['block'] },
  },
  max_length: { ...nowhere, ingress_in: { default: 'off', or: ['block'] }, ingress_out: block },
  json_schema: { ...nowhere, ingress_out: block },
  topics: { ...nowhere, ingress_in: block, ingress_out: block },
};
