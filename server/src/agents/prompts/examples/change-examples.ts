import { most_examples, type PromptExample } from '@gantry/contract/agents/prompt-trials.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { holdAsset, loadAsset } from '../../../assets/registry/load-asset.ts';
import * as store from '../example-store.ts';

interface NewExample {
  /** Of the example. */
  name: string;
  variables: Record<string, string>;
  expected?: string | undefined;
}

/** Any names of variables: the next version of the prompt can have others. Throws `conflict` for a name that is taken, and for one too many. */
export async function addExample(
  db: Database,
  caller: Caller,
  { prompt: prompt_name, name, variables, expected }: NewExample & { prompt: string },
): Promise<PromptExample> {
  const user = signedIn(caller);
  const prompt = await loadAsset(db, { kind: 'prompt', name: prompt_name }, user);
  const grant = authorize(user, 'asset.write', prompt);
  return await change(db, grant, 'prompt.example_added', async (tx, note) => {
    authorize(user, 'asset.write', await holdAsset(tx, prompt.id, user));
    if ((await store.find(tx, prompt.id, name)) !== undefined)
      throw new Problem('conflict', {
        detail: `${prompt.ref} has an example ${name} already.`,
        hint: `Take another name, or delete it: svc prompt example delete ${prompt.name} ${name}`,
      });
    if ((await store.count(tx, prompt.id)) >= most_examples)
      throw new Problem('conflict', {
        detail: `${prompt.ref} has ${most_examples} examples, which is the most.`,
        hint: `Delete one: svc prompt example delete ${prompt.name} <example>`,
      });
    await store.insert(tx, prompt.id, { name, variables, expected: expected ?? null, created_by: user.label });
    // The values are content, and no part of the log.
    note({ example: name, variables: Object.keys(variables).slice(0, 20) });
    const stored = await store.find(tx, prompt.id, name);
    if (stored === undefined) throw new Error(`the example ${name} was not stored`);
    return stored;
  });
}

export async function deleteExample(
  db: Database,
  caller: Caller,
  { name, example }: { name: string; example: string },
): Promise<void> {
  const user = signedIn(caller);
  const prompt = await loadAsset(db, { kind: 'prompt', name }, user);
  const grant = authorize(user, 'asset.write', prompt);
  await change(db, grant, 'prompt.example_deleted', async (tx, note) => {
    authorize(user, 'asset.write', await holdAsset(tx, prompt.id, user));
    if (!(await store.remove(tx, prompt.id, example)))
      throw new Problem('not_found', {
        detail: `${prompt.ref} has no example ${example}.`,
        hint: `List them: svc prompt examples ${name}`,
      });
    note({ example });
  });
}
