// The prompts of an agent in the words of the Model Context Protocol, under the keys of its agent.yaml.
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import type { Reader } from '../../ground/database/database.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import { listOwnPrompts, withOwnPrompt, type AskedPrompt, type OwnPrompt, type PromptParts } from './own-prompts.ts';
import { requireRendered } from './require-rendered.ts';

export async function listMcpPrompts(db: Reader, caller: AgentCaller): Promise<Prompt[]> {
  return (await listOwnPrompts(db, caller)).map((prompt) => ({
    name: prompt.key,
    description: prompt.ref,
    arguments: prompt.config.variables.map(({ name, description, default: otherwise }) => ({
      name,
      ...(description !== undefined && { description }),
      required: otherwise === undefined,
    })),
    _meta: metaOf(prompt),
  }));
}

/** Throws what `withOwnPrompt` and `requireRendered` throw. */
export async function getMcpPrompt(
  parts: PromptParts,
  asked: AskedPrompt & { arguments: Record<string, string> },
): Promise<GetPromptResult> {
  return await withOwnPrompt(parts, asked, (prompt) => ({
    description: prompt.ref,
    // The protocol has no role for the system: the client puts such a text where its model wants it.
    messages: requireRendered(prompt.ref, prompt.config, asked.arguments).map(({ role, content: text }) => ({
      role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
      content: { type: 'text' as const, text, ...(role === 'system' && { _meta: { 'gantry/role': role } }) },
    })),
    _meta: metaOf(prompt),
  }));
}

const metaOf = ({ version, digest, label }: OwnPrompt) => ({
  'gantry/version': version,
  'gantry/digest': digest,
  ...(label !== null && { 'gantry/label': label }),
});
