import { z } from 'zod';
import { parseAnyRef, parseRef } from '../refs.ts';
import type { AssetKind } from '../roles.ts';

/** `tools/x` and `{ref: tools/x}` mean the same, and a config holds the second. */
export function refTo(kind: AssetKind, segment: string) {
  return formsOf(
    z
      .string()
      .refine((written) => parseRef(written)?.kind === kind, `must be ${segment}/<name>`)
      .meta({ examples: [`${segment}/<name>`] }),
  );
}

/** An agent is deployed on its own. A version after its name means that only this version may be called. */
export const refToAgent = formsOf(
  z
    .string()
    .refine((written) => parseAnyRef(written)?.kind === 'agent', 'must be agents/<name> or agents/<name>@<version>')
    .meta({ examples: ['agents/<name>', 'agents/<name>@1.0.0'] }),
);

/** A version after its name keeps the agent on that version of the skill. */
export const refToSkill = formsOf(
  z
    .string()
    .refine((written) => parseAnyRef(written)?.kind === 'skill', 'must be skills/<name> or skills/<name>@<version>')
    .meta({ examples: ['skills/<name>', 'skills/<name>@1.0.0'] }),
);

/** A label after its name is moved without a push (server/src/agents/prompts/). */
export const refToPrompt = formsOf(
  z
    .string()
    .refine(
      (written) => parseAnyRef(written)?.kind === 'prompt',
      'must be prompts/<name>, prompts/<name>@<version> or prompts/<name>@<label>',
    )
    .meta({ examples: ['prompts/<name>', 'prompts/<name>@1.0.0', 'prompts/<name>@production'] }),
);

/** A member of an orchestration is deployed on its own, as an agent is. */
export const refToMember = formsOf(
  z
    .string()
    .refine(
      (written) => ['agent', 'orchestration'].includes(parseAnyRef(written)?.kind ?? ''),
      'must be agents/<name> or orchestrations/<name>, each with or without @<version>',
    )
    .meta({ examples: ['agents/<name>', 'agents/<name>@1.0.0', 'orchestrations/<name>'] }),
);

/** What an agent can search. */
export const refToKnowledge = formsOf(
  z
    .string()
    .refine(
      (written) => ['knowledge-base', 'rag-index'].includes(parseRef(written)?.kind ?? ''),
      'must be kb/<name> or rag-indexes/<name>',
    )
    .meta({ examples: ['kb/<name>', 'rag-indexes/<name>'] }),
);

function formsOf(ref: z.ZodString) {
  return { text: ref.transform((written) => ({ ref: written })), map: z.strictObject({ ref }) };
}
