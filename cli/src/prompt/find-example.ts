import type { PromptExample } from '@gantry/contract/agents/prompt-trials.ts';
import { most_examples } from '@gantry/contract/agents/prompt-trials.ts';
import { nearest } from '@gantry/contract/nearest.ts';
import { takePages } from '../pages.ts';
import { CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';

/** The stored example of this name. */
export async function findExample(session: Session, prompt: string, name: string): Promise<PromptExample> {
  const all = await takePages(session, most_examples, (query) =>
    session.call('prompts.examples', { params: { name: prompt }, query }),
  );
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name);
  const meant = nearest(name, names);
  throw new CliRefusal('not_found', `prompts/${prompt} has no example ${name}`, {
    hint: meant === undefined ? `List them: svc prompt examples ${prompt}` : `did you mean \`${meant}\`?`,
  });
}
