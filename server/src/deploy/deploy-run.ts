// What a deploy hands to its run, and what the run makes of it. Both are stored as JSON.

import type { TargetName } from './parts.ts';

export interface DeployInput {
  agent_id: string;
  agent: string;
  version_id: string;
  version: string;
  /** What was decided about: nothing else is built. */
  digest: string;
  target: TargetName;
  origin: { request_id: string | null; ip: string | null };
}

export interface DeployResult {
  endpoint: string;
  /** What the agent takes, with words filled in; null when it says nothing about that. */
  example_input: Record<string, unknown> | null;
  revision_id: string;
  approval_id: string | null;
  audit_seq: number | null;
}

/** One deploy at a time of an agent on a target. */
export function deployMutex({ agent_id, target }: { agent_id: string; target: string }): string {
  return `${agent_id}:${target}`;
}
