import { callsModel, type Template } from '@gantry/project/templates/templates.ts';
import type { Session } from '../session/session.ts';

/** The model that the examples name. */
export const example_model = 'gpt-4o-mini';

/** A chat model of the team, so that the key of its agent calls this one and no other. Undefined without one, and without a sign-in. */
export async function modelForProject(
  session: Session,
  { team, template }: { team: string; template: Template },
): Promise<string | undefined> {
  if ((await session.token()) === undefined) return undefined;
  try {
    const { items } = await session.call('models.list', { query: { team, limit: 200 } });
    // The examples that call a model speak OpenAI's format.
    const fit = items.filter(({ type, kind }) => type === 'chat' && (kind === 'openai' || !callsModel(template)));
    return (fit.find(({ name, aliases }) => [name, ...aliases].includes(example_model)) ?? fit[0])?.name;
  } catch (error) {
    if (error instanceof Error && error.name === 'Unreachable') return undefined;
    throw error;
  }
}
