// The most that a call can cost, from what it asks for.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reservation, RunOfCall } from '../../ledger/books.ts';
import { holderOfCall, type Facts, type Payer } from './facts.ts';
import type { Model } from '../model.ts';
import { usual_max_output_tokens, wantedOutput } from './output-limit.ts';
import { boundOf, outputTokensFor } from '../prices/cost.ts';
import { image_max_tokens, type AskedOfModel, type Wire } from '../wires/wire.ts';

interface Reserved extends Facts {
  model: Model;
  caller: Payer;
  run: RunOfCall;
  call_id: string;
  hold_id: string;
  attempt: number;
}

/** The hold ends after the call, with time to settle. */
const settling_seconds = 60;
const min_output_tokens = 256;

/** Throws `invalid` for a model of another format. */
export function reservationOf(
  wire: Wire,
  asked: AskedOfModel,
  { key, model, caller, run, call_id, hold_id, attempt }: Reserved,
): Reservation {
  if (!model.formats.includes(wire.kind))
    throw new Problem('invalid', {
      detail: `models/${model.name} is called in the format of ${model.formats.join(' or ')}.`,
    });
  const { price } = model;
  const { run_id, root_run_id, caller_id, trace_id } = run;
  const { input_classes, choices, web_searches } = asked;
  const most = mostInputTokens(asked, model);
  const input_tokens = most ?? asked.input_tokens;
  const input = { input_tokens, input_classes, web_searches };
  const unbounded = [
    ...asked.unbounded,
    ...(most === undefined ? [`files and searches of a model whose context is unknown`] : []),
    ...(web_searches > 0 && price?.rates.web_searches === undefined
      ? ['searches of a model without a price for them']
      : []),
  ];
  const { max_tokens = Infinity } = key.settings;
  const output_tokens = Math.min(wantedOutput(asked, model), max_tokens) * choices;
  return {
    id: hold_id,
    accounts: caller.accounts.map((id) => ({ id, label: labelOf(caller, key, id) })),
    input_tokens,
    output_tokens,
    usual_output_tokens: asked.output_tokens === undefined ? usual_max_output_tokens * choices : undefined,
    expected_input_tokens: Math.min(asked.expected_input_tokens, input_tokens),
    min_output_tokens: (asked.min_output_tokens ?? min_output_tokens) * choices,
    price: price && {
      boundOf: (output) => countable(() => boundOf(price, { ...input, output_tokens: output })),
      outputTokensFor: (nano) => countable(() => outputTokensFor(price, { ...input, nano }) ?? -1),
    },
    unbounded,
    deadline_seconds: model.timeouts.total_ms / 1000 + settling_seconds,
    call: {
      key_id: key.id,
      key: key.prefix,
      team: key.team,
      user: key.user,
      agent: key.agent,
      principal: key.principal,
      tags: key.tags,
      model: model.name,
      provider: model.provider,
      upstream_model: model.upstream_model,
      attempt,
      price: price?.version ?? null,
      call_id,
      run_id,
      root_run_id,
      caller_id,
      trace_id,
    },
  };
}

function countable(compute: () => number): number {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Problem('not_priceable', { detail: 'This call can cost more than the ledger can count.' });
  }
}

/** Undefined when nothing bounds it. The upstream refuses what exceeds its context. */
export function mostInputTokens(asked: AskedOfModel, model: Model): number | undefined {
  const { input_tokens, images, files, contexts, web_searches } = asked;
  const { context_window_tokens, published, image_max_tokens: own = image_max_tokens, file_max_tokens } = model;
  const of_parts = input_tokens + images * (own - image_max_tokens);
  const hasCap = web_searches === 0 && (files === 0 || file_max_tokens !== undefined);
  if (hasCap)
    return Math.min(of_parts + files * (file_max_tokens ?? 0), contexts * (context_window_tokens ?? Infinity));
  // A published context is the largest that the vendor offers.
  const context = context_window_tokens ?? published?.context_window_tokens;
  return context === undefined ? undefined : contexts * context;
}

/** An account, as a refusal names it. */
export function labelOf(by: Payer, key: Facts['key'], account_id: string): string {
  if (by.kind === 'trial' && by.member?.account === account_id) return `${by.member.label} in team:${key.team}`;
  const caller = holderOfCall(by);
  if (caller.kind === 'tester')
    return key.team !== null && account_id === caller.accounts[0] ? `team:${key.team}` : 'the organisation';
  if (account_id === caller.id) return `the key ${key.prefix}…`;
  if (account_id === caller.team_id) return `team:${key.team}`;
  if (account_id === caller.accounts.at(-1)) return 'the organisation';
  if (key.user !== null) return `${key.user} in team:${key.team}`;
  return key.agent === null ? (key.principal ?? 'its holder') : `agents/${key.agent}`;
}
