// The prompts of an agent, as its version names them and as they are now. `use` on each is decided at each read. A read in a run leaves a span in
// its trace with the version that was used; an agent that is being started has no run, and no trace.
import type { PromptConfig } from '@gantry/project/asset-config/prompt.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { Spans } from '../../models/traces/spans.ts';
import { startSpan } from '../../models/traces/start-span.ts';
import { labelNow } from '../../assets/registry/prompts/labels.ts';
import { promptOfDigest, promptsOfAgent, type PromptOfAgent } from '../../assets/registry/prompts/prompts-of-agent.ts';
import { delegationOfAgent } from '../delegated-calls/delegation.ts';
import { requireUse, usableAmong } from '../delegated-calls/may-use.ts';
import { isOpenRun } from '../invoke/open-run.ts';
import { promptSpan } from './prompt-span.ts';

export interface PromptParts {
  db: Database;
  spans: Pick<Spans, 'add'>;
}

export interface OwnPrompt {
  key: string;
  /** prompts/<name>@<version> */
  ref: string;
  label: string | null;
  version: string;
  digest: string;
  config: PromptConfig;
}

/** Those that the agent may use, in the order of agent.yaml. */
export async function listOwnPrompts(db: Reader, caller: AgentCaller): Promise<OwnPrompt[]> {
  const usable = await usableAmong(db, caller, await promptsOfAgent(db, caller.version_id));
  const read = await Promise.all(usable.map(async ({ of }) => await readNow(db, of)));
  return read.filter((prompt) => prompt !== undefined);
}

export interface AskedPrompt {
  caller: AgentCaller;
  trace: TraceContext;
  key: string;
}

/** `use` makes the answer. Throws `not_found`, `run_refused`, the refusal, and what `use` throws. */
export async function withOwnPrompt<Answer>(
  { db, spans }: PromptParts,
  { caller, trace, key }: AskedPrompt,
  use: (prompt: OwnPrompt) => Answer,
): Promise<Answer> {
  const started = startSpan();
  const { user } = await delegationOfAgent({ db, isOpen: async (run) => await isOpenRun(db, run) }, caller);
  const prompt = await usablePrompt(db, caller, key);
  const end = (error: string | null) => {
    if (caller.run !== undefined)
      spans.add([promptSpan({ caller, run: caller.run, trace, started, prompt, user_id: user.id, error })]);
  };
  try {
    const answer = use(prompt);
    end(null);
    return answer;
  } catch (error) {
    end(error instanceof Problem ? error.code : 'internal');
    throw error;
  }
}

async function usablePrompt(db: Reader, caller: AgentCaller, key: string): Promise<OwnPrompt> {
  const named = (await promptsOfAgent(db, caller.version_id)).find((one) => one.key === key);
  const asset = named && (await requireUse(db, caller, named));
  if (named === undefined || asset === undefined)
    throw new Problem('not_found', {
      detail: `${key} is not among the prompts of ${caller.label}.`,
      hint: 'Name it under `prompts` of its agent.yaml, and deploy that.',
    });
  const prompt = await readNow(db, named);
  if (prompt === undefined)
    throw new Problem('not_found', {
      detail: `The config of prompts/${named.name} is no longer accepted.`,
      hint: `Change it, and push the agent again: svc registry prompt edit ${named.name}`,
    });
  return prompt;
}

/** A label is read anew each time. Undefined for a config that was stored under looser rules. */
async function readNow(
  db: Reader,
  { key, name, asset_id, label, ...pinned }: PromptOfAgent,
): Promise<OwnPrompt | undefined> {
  const { version, digest } = (label !== null && (await labelNow(db, { asset_id, label }))) || pinned;
  const config = await promptOfDigest(db, digest);
  if (config === undefined) return undefined;
  return { key, ref: printVersionRef({ kind: 'prompt', name, version }), label, version, digest, config };
}
