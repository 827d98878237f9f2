// The prompts of an agent at its address at the door (SVC_PROMPTS_URL).
import { messagesOf } from '@gantry/project/prompts/render-prompt.ts';
import type { ShownPrompt } from '@gantry/contract/agents/own-prompts.ts';
import type { RenderedPrompt } from '@gantry/contract/agents/prompts.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { AgentCaller, Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { listOwnPrompts, withOwnPrompt, type OwnPrompt, type PromptParts } from './own-prompts.ts';
import { requireRendered } from './require-rendered.ts';

interface Asking {
  caller: Caller;
  trace: TraceContext;
}

/** The list has the texts too, so that one request reads them all. */
export async function listOwn(parts: PromptParts, asking: Asking): Promise<ShownPrompt[]> {
  const caller = agentOf(asking.caller);
  const keys = (await listOwnPrompts(parts.db, caller)).map(({ key }) => key);
  return await Promise.all(keys.map(async (key) => await withOwnPrompt(parts, { ...asking, caller, key }, print)));
}

export async function showOwn(parts: PromptParts, { key, ...asking }: Asking & { key: string }): Promise<ShownPrompt> {
  return await withOwnPrompt(parts, { ...asking, caller: agentOf(asking.caller), key }, print);
}

export async function renderOwn(
  parts: PromptParts,
  { key, variables, ...asking }: Asking & { key: string; variables: Record<string, string> },
): Promise<RenderedPrompt> {
  return await withOwnPrompt(
    parts,
    { ...asking, caller: agentOf(asking.caller), key },
    ({ ref, label, digest, config }) => ({ ref, label, digest, messages: requireRendered(ref, config, variables) }),
  );
}

function agentOf(caller: Caller): AgentCaller {
  authorize(caller, 'prompt.read_own', theOrg);
  // The rule lets in agents alone.
  if (caller.kind !== 'agent') throw new Error('only an agent reads its own prompts');
  return caller;
}

function print({ key, ref, label, version, digest, config }: OwnPrompt): ShownPrompt {
  const variables = config.variables.map(({ name, description = null, default: otherwise = null }) => ({
    name,
    description,
    default: otherwise,
  }));
  return { key, ref, label, version, digest, messages: messagesOf(config), variables };
}
