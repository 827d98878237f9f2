import type { Handlers, SurfaceHandlers } from '../../governance/http/handlers.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { listLabels, listMoves } from './list-labels.ts';
import { moveLabel } from './move-label.ts';
import type { PromptParts } from './own-prompts.ts';
import { listOwn, renderOwn, showOwn } from './read-own.ts';
import { addExample, deleteExample } from './examples/change-examples.ts';
import { listExamples } from './examples/list-examples.ts';
import { renderForPerson } from './render.ts';
import { tryPrompt, type TrialParts } from './trials/try-prompt.ts';

export function promptsRoutes(parts: TrialParts & { cursors: Cursors }): Handlers<'prompts'> {
  const { db } = parts;
  return {
    'prompts.render': async ({ caller, params, body }) => await renderForPerson(db, caller, { ...params, ...body }),
    'prompts.labels': async ({ caller, params }) => await listLabels(db, caller, params.name),
    'prompts.label_moves': async ({ caller, params, query }) => await listMoves(parts, caller, { ...params, ...query }),
    'prompts.move_label': async ({ caller, params, body }) => await moveLabel(db, caller, { ...params, ...body }),
    'prompts.try': async ({ caller, params, body, signal }) =>
      await tryPrompt(parts, caller, { ...params, ...body, signal }),
    'prompts.examples': async ({ caller, params, query }) => await listExamples(parts, caller, { ...params, ...query }),
    'prompts.add_example': async ({ caller, params, body }) =>
      await addExample(db, caller, { prompt: params.name, ...body }),
    'prompts.delete_example': async ({ caller, params }) => await deleteExample(db, caller, params),
  };
}

/** At the door of the agents. */
export function ownPromptsRoutes(parts: PromptParts): SurfaceHandlers<'prompts'> {
  return {
    'own_prompts.list': async ({ caller, trace }) => await listOwn(parts, { caller, trace }),
    'own_prompts.show': async ({ caller, params, trace }) => await showOwn(parts, { caller, trace, ...params }),
    'own_prompts.render': async ({ caller, params, body, trace }) =>
      await renderOwn(parts, { caller, trace, ...params, ...body }),
  };
}
