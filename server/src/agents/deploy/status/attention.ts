// Why somebody must look at an agent, gravest first. An agent whose container answers can still be of no use to its callers.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { AgentCost } from '@gantry/contract/models/costs.ts';
import type { Attention } from '@gantry/contract/agents/attention.ts';
import type { AgentStatus, CallFigures } from '@gantry/contract/agents/deploy.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findAssets } from '../../../assets/registry/find.ts';

export interface Signs {
  state: AgentStatus['state'];
  detail: string;
  isCrashing: boolean;
  /** The models that its config names and the registry does not have. */
  missing_models: readonly string[];
  last_24h: CallFigures;
  /** A budget refused its last call to a model. */
  isUnpaid: boolean;
  /** Null for readers without `write`. */
  cost: AgentCost | null;
}

export function attentionOf(signs: Signs): Attention[] {
  const { state, detail, isCrashing, missing_models, last_24h } = signs;
  if (state === 'not_deployed' || state === 'stopped') return [];
  const budget = describeBudget(signs);
  return [
    ...(state === 'failed' || state === 'unknown' ? [{ kind: state, detail: firstLine(detail) } as const] : []),
    ...(isCrashing ? [{ kind: 'crashing', detail: 'Its container ends again and again.' } as const] : []),
    ...(budget === undefined ? [] : [{ kind: 'budget', detail: budget } as const]),
    ...missing_models.map((model) => ({ kind: 'model', detail: `Its model ${model} does not exist.` }) as const),
    ...(isFailing(last_24h)
      ? [{ kind: 'errors', detail: `${last_24h.errors} of ${last_24h.calls} calls failed in 24 h.` } as const]
      : []),
  ];
}

function describeBudget({ isUnpaid, cost }: Signs): string | undefined {
  const cap = cost?.cap ?? undefined;
  const isSpent = cap !== undefined && cap.percent >= 100;
  // A window that starts again pays again.
  if (!isSpent && (!isUnpaid || cap?.percent === 0)) return undefined;
  if (cap === undefined) return 'A budget refused its last call to a model.';
  const spent = `$${cap.spent_usd} of $${cap.limit_usd} per ${cap.window} of ${cap.of} is spent`;
  return isSpent ? `${spent}.` : `${spent}, and the rest did not pay for its last call.`;
}

const isFailing = ({ calls, errors }: CallFigures) => errors > 0 && errors * 2 >= calls;

const firstLine = (text: string) => text.split('\n')[0] ?? '';

/** The models that these configs name and nobody has. */
export async function missingModels(
  db: Reader,
  configs: readonly AgentConfig[],
): Promise<(config: AgentConfig | undefined) => string[]> {
  const names = [...new Set(configs.flatMap(modelsOf))];
  const found = await findAssets(
    db,
    names.map((name) => ({ kind: 'model', name, caller_id: null })),
  );
  const missing = new Set(names.filter((_, index) => found[index] === undefined));
  return (config) => (config === undefined ? [] : modelsOf(config).filter((name) => missing.has(name)));
}

const modelsOf = ({ model }: AgentConfig): string[] =>
  [model?.primary, model?.fallback].filter((name) => name !== undefined);
