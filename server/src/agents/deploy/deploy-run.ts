// The input of a deploy's run and its result. Both are stored as JSON.

import type { Run } from '../../ground/runs/run.ts';
import type { TargetName } from './parts.ts';

export type DeployRun = Run<DeployInput>;

export interface DeployInput {
  agent_id: string;
  agent: string;
  version_id: string;
  version: string;
  /** The digest of the decision. No other content is built. */
  digest: string;
  target: TargetName;
  /** For a rollback: the revision to return to, and the reason of the person. */
  rollback?: { revision_id: string; reason: string | null };
  origin: { request_id: string | null; ip: string | null };
}

export interface DeployResult {
  endpoint: string;
  /** An input that the agent accepts. Null when the agent has no input schema. */
  example_input: Record<string, unknown> | null;
  revision_id: string;
  approval_id: string | null;
  audit_seq: number | null;
}

/** One run at a time, of any kind, changes an agent on a target. */
export function deployMutex({ agent_id, target }: { agent_id: string; target: string }): string {
  return `agent:${agent_id}:${target}`;
}
