// The input and the result of an orchestration's run.
import type { z } from 'zod';
import type { Run } from '../../../ground/runs/run.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import type { MemberError } from '../members/read-member-answer.ts';

export type Json = z.core.util.JSONType;

/** The kind of the run's row. */
export const kind = 'orchestration';

/** Then the contents of a run are forgotten. */
export const keep_days = 7;

export interface OrchestrationInput {
  orchestration_id: string;
  name: string;
  team_id: string;
  version_id: string;
  version: string;
  digest: string;
  /** The caller's. Forgotten after a week. */
  input?: unknown;
  /** For members that keep threads. */
  thread_id: string | null;
  /** Only of a run that is a task of A2A. */
  context_id?: string;
  /** ISO 8601. Null in a run that began before runs had a bound of their own. */
  deadline_at: string | null;
  origin: { request_id: string | null; ip: string | null };
  trace: TraceContext;
}

export type OrchestrationRun = Run<OrchestrationInput>;

/** The output of a step that calls a member. */
export interface MemberAnswer {
  member: string;
  /** agents/<name> or orchestrations/<name> */
  agent: string;
  /** The id of the call. Null for an orchestration: its calls have ids of their own. */
  run_id: string | null;
  /** Which took the call; null when it was found again after a crash. */
  /** Of the calls before it that ended with a question to a person. */
  earlier_run_ids?: string[];
  revision_id: string | null;
  version: string | null;
  digest: string | null;
  text: string;
  output: Json;
  /** An orchestration that went on without some of its members. */
  is_partial?: true;
}

/** The latest of a member. */
type MemberOutcome = { status: 'done' | 'partial'; output: Json } | { status: 'failed'; error: MemberError };

export interface OrchestrationResult {
  status: 'done' | 'partial';
  output: {
    text: string | null;
    members: Record<string, MemberOutcome>;
  };
}
