// A version or a draft of a prompt is tried on a model, for a person who may change the prompt: a draft is any text, and the team of the prompt pays.
// The person also needs `use` of the model, as for every other call. Must never happen: a call without the rights, the budget or a row of the ledger.
import { randomBytes } from 'node:crypto';
import type { TrialEvent } from '@gantry/contract/agents/prompt-trials.ts';
import type { PromptMessage } from '@gantry/contract/agents/prompts.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, printVersionRef } from '@gantry/contract/refs.ts';
import type { PromptConfig } from '@gantry/project/asset-config/prompt.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { GatewayParts } from '../../../models/gateway/parts.ts';
import { noRun } from '../../../models/gateway/run-of-call.ts';
import { tryModel, type TrialPart } from '../../../models/gateway/trial/try-model.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { promptOfDigest } from '../../../assets/registry/prompts/prompts-of-agent.ts';
import { readConfig, type Config } from '../../../assets/registry/read-config.ts';
import { findPromptVersion } from '../find-prompt-version.ts';
import { requireRendered } from '../require-rendered.ts';
import { trialOf, type PayerParts } from './payer.ts';

export interface TrialParts extends PayerParts {
  /** The gateway of this process. */
  models: () => Promise<GatewayParts>;
}

interface Asked {
  name: string;
  version?: string | undefined;
  draft?: Config | undefined;
  variables: Record<string, string>;
  /** models/<name> */
  model: string;
  temperature?: number | undefined;
  max_tokens?: number | undefined;
  signal: AbortSignal;
}

/** When the answer has begun. Throws `not_found`, `invalid`, the refusals, and those of the gateway. */
export async function tryPrompt(
  parts: TrialParts,
  caller: Caller,
  { name, version, draft, variables, model: model_ref, signal, ...sampling }: Asked,
): Promise<AsyncIterable<StreamEvent<TrialEvent>>> {
  const { db } = parts;
  const user = signedIn(caller);
  const prompt = await loadAsset(db, { kind: 'prompt', name }, caller);
  authorize(user, 'asset.write', prompt);
  const text = draft === undefined ? await storedText(db, prompt, version ?? 'latest') : draftText(draft);
  const messages = requireRendered(text.ref ?? `The draft of ${prompt.ref}`, text.config, variables);
  const model = await loadModel(db, caller, model_ref);
  authorize(user, 'asset.invoke', model);
  const trace_id = randomBytes(16).toString('hex');
  const trying = await tryModel(await parts.models(), {
    model_id: model.id,
    messages: messages satisfies PromptMessage[],
    ...sampling,
    caller: await trialOf(parts, user, prompt),
    run: { ...noRun, caller_id: user.id, trace_id },
    signal,
  });
  const { ref, label, digest } = text;
  return eventsOf({ type: 'started', ref, label, digest, model: model.ref, trace_id }, trying);
}

interface TriedText {
  ref: string | null;
  label: string | null;
  digest: string | null;
  config: PromptConfig;
}

async function storedText(db: Reader, prompt: AssetRecord, wanted: string): Promise<TriedText> {
  const { version, digest, label } = await findPromptVersion(db, prompt, wanted);
  const ref = printVersionRef({ kind: 'prompt', name: prompt.name, version });
  const config = await promptOfDigest(db, digest);
  if (config === undefined)
    throw new Problem('not_found', {
      detail: `The config of ${ref} is no longer accepted.`,
      hint: `Change it: svc registry prompt edit ${prompt.name}`,
    });
  return { ref, label, digest, config };
}

/** Throws `invalid` with every fault of the draft. */
function draftText(draft: Config): TriedText {
  return { ref: null, label: null, digest: null, config: readConfig('prompt', draft, '/draft') as PromptConfig }; // valid as its kind
}

async function loadModel(db: Reader, caller: Caller, ref: string): Promise<AssetRecord> {
  const name = parseRef(ref)?.name ?? '';
  const found = await loadAsset(db, { kind: 'model', name }, caller).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw new Problem('not_found', { detail: `There is no ${ref} for you.`, hint: 'See the models: svc model list' });
  });
  return found;
}

async function* eventsOf(
  started: TrialEvent,
  parts: AsyncGenerator<TrialPart>,
): AsyncGenerator<StreamEvent<TrialEvent>> {
  // Reading has begun before anybody can leave, so the call ends with its reader.
  let next = parts.next();
  try {
    yield { data: started };
    for (let part = await next; part.done !== true; part = await next) {
      next = parts.next();
      yield { data: 'text' in part.value ? { type: 'delta', text: part.value.text } : printUsed(part.value) };
    }
  } finally {
    next.catch(() => {}); // thrown above, or nobody reads it
    await parts.return(undefined);
  }
}

function printUsed({ used: { cost_nano_usd, is_priced, ...used } }: Extract<TrialPart, { used: unknown }>): TrialEvent {
  return { type: 'used', ...used, cost_usd: is_priced ? formatUsd(cost_nano_usd) : null };
}
