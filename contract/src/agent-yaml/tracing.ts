// What an agent.yaml says about the traces of its agent.
import type { AgentConfig } from './config.ts';

export interface HiddenContent {
  inputs: boolean;
  outputs: boolean;
}

export function isTraced({ deploy }: AgentConfig): boolean {
  return deploy?.tracing?.enabled ?? true;
}

/** The organisation can only hide more. */
export function hiddenContent(
  tracing: NonNullable<AgentConfig['deploy']>['tracing'],
  { isPrivate, org }: { isPrivate: boolean; org: HiddenContent },
): HiddenContent {
  return {
    inputs: org.inputs || (tracing?.hide_inputs ?? isPrivate),
    outputs: org.outputs || (tracing?.hide_outputs ?? isPrivate),
  };
}
