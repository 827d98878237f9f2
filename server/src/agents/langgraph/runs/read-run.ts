// A run of langgraph's API as a call: the body that the agent gets, how langgraph runs it, and which parts of its stream go out.
import { answeredModes, type AnsweredMode, type RunBody } from '@gantry/contract/agents/langgraph/runs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Json } from '../json.ts';
import { notAnswered, refuseUnanswered } from '../not-answered.ts';
import { checkpointId } from '../threads/threads.ts';

/** As wrapper/_svc_wrapper/graph_options.py reads it. */
export interface GraphOptions {
  modes: string[];
  subgraphs: boolean;
  before: RunBody['interrupt_before'];
  after: RunBody['interrupt_after'];
  is_command: boolean;
  goes_on: boolean;
  checkpoint_id: string | null;
  durability?: 'sync';
  is_update?: true;
}

export interface ReadRun {
  body: Buffer;
  /** GraphOptions as JSON. */
  graph: string;
  modes: ReadonlySet<AnsweredMode>;
  /** It is refused while another run is on its thread. */
  is_alone: boolean;
}

/** The names of nodes lie in a header. */
const max_options_bytes = 8 * 1024;

/** Throws `not_answered`, and `invalid` for a run that has no sense. */
export function readRun(asked: RunBody, thread: string | undefined): ReadRun {
  refuseMembers(asked);
  const modes = new Set(modesOf(asked));
  const { command, input, config, context, metadata, checkpoint, checkpoint_id } = asked;
  const isCommand = command !== undefined && command !== null;
  const goesOn = !isCommand && (input === undefined || input === null);
  if (thread === undefined && (isCommand || goesOn))
    throw new Problem('invalid', { detail: 'A run without a thread starts with an `input`.' });
  const options: GraphOptions = {
    // langgraph's own name of the mode.
    modes: [...modes].map((mode) => (mode === 'messages-tuple' ? 'messages' : mode)),
    subgraphs: asked.stream_subgraphs ?? false,
    before: asked.interrupt_before ?? null,
    after: asked.interrupt_after ?? null,
    is_command: isCommand,
    goes_on: goesOn,
    checkpoint_id: checkpoint_id ?? checkpointId(checkpoint ?? undefined) ?? null,
    // A wrapper of an earlier release does not know it.
    ...(asked.durability === 'sync' && { durability: 'sync' as const }),
  };
  const graph = JSON.stringify(options);
  if (encodeURIComponent(graph).length > max_options_bytes)
    throw new Problem('invalid', { detail: 'interrupt_before and interrupt_after together have at most 8 KB.' });
  const body = {
    ...(isCommand ? { resume: command } : goesOn ? { resume: null } : { input }),
    ...(thread !== undefined && { thread_id: thread }),
    ...configOf(config ?? {}),
    ...(hasMembers(context) && { context }),
    ...(hasMembers(metadata) && { metadata }),
  };
  const { multitask_strategy } = asked;
  return { body: Buffer.from(JSON.stringify(body)), graph, modes, is_alone: multitask_strategy === 'reject' };
}

const hasMembers = (value: object | null | undefined) => Object.keys(value ?? {}).length > 0;

function refuseMembers(asked: RunBody): void {
  const { multitask_strategy: strategy, webhook, feedback_keys, after_seconds, langsmith_tracer } = asked;
  refuseUnanswered({
    webhook: webhook !== undefined && webhook !== null,
    feedback_keys: (feedback_keys ?? []).length > 0,
    after_seconds: (after_seconds ?? 0) > 0,
    langsmith_tracer: langsmith_tracer !== undefined && langsmith_tracer !== null,
    'multitask_strategy: rollback': strategy === 'rollback',
    'on_completion: keep': asked.on_completion === 'keep',
  });
}

function modesOf({ stream_mode }: RunBody): AnsweredMode[] {
  const asked = [stream_mode ?? 'values'].flat();
  return asked.map((mode) => {
    const known = answeredModes.find((one) => one === mode);
    if (known === undefined) throw notAnswered(`\`stream_mode: ${mode}\``);
    return known;
  });
}

/** Clients repeat in it what the address names. */
const of_address = ['thread_id', 'checkpoint_id', 'checkpoint_ns', 'checkpoint_map'];

function configOf(config: Json): { config?: Json } {
  const { configurable, ...rest } = config;
  const named = typeof configurable === 'object' && configurable !== null ? Object.entries(configurable) : [];
  const kept = Object.fromEntries(named.filter(([member]) => !of_address.includes(member)));
  const whole = { ...rest, ...(hasMembers(kept) && { configurable: kept }) };
  return hasMembers(whole) ? { config: whole } : {};
}
