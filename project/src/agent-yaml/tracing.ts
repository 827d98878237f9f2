// What an agent.yaml says about the traces of its agent.
import type { AgentConfig } from './config.ts';

export interface HiddenContent {
  inputs: boolean;
  outputs: boolean;
}

export function isTraced({ deploy }: AgentConfig): boolean {
  return deploy?.tracing?.enabled ?? true;
}

/** The organisation can only hide more. An agent with secrets can say them, and no table has the value of a secret as text. */
export function hiddenContent(
  { tracing, secrets = [] }: Pick<NonNullable<AgentConfig['deploy']>, 'tracing' | 'secrets'>,
  { isPrivate, org }: { isPrivate: boolean; org: HiddenContent },
): HiddenContent {
  const isHidden = isPrivate || secrets.length > 0;
  return {
    inputs: org.inputs || (tracing?.hide_inputs ?? isHidden),
    outputs: org.outputs || (tracing?.hide_outputs ?? isHidden),
  };
}
