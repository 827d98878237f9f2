import { catalogueName } from '@gantry/project/model-providers.ts';
import { isLoopback } from '../failure.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { addOne } from './add-one.ts';
import { findLocalModels, localServers, type LocalModel } from './find-local.ts';

/** Offers the models of servers on this machine, when the service runs on it too. */
export async function addLocal(session: Session): Promise<Result> {
  if (!isLoopback(session.server))
    throw misuse(
      'A name is needed: the service runs on another machine, which does not reach the servers of this one',
      'Name a provider: svc model add gpt-4o --provider openai',
    );
  const found = await findLocalModels();
  if (found.length === 0) {
    const looked = localServers.map(({ provider, base_url }) => `${provider} (${new URL(base_url).host})`);
    throw new CliRefusal('no_local_model', `No server of models answers on this machine: ${looked.join(', ')}`, {
      hint: 'Start one, or name a provider: svc model add gpt-4o --provider openai',
    });
  }
  if (!(await session.prompt.canAsk()))
    throw new CliRefusal('name_needed', 'Name one of the models that servers on this machine have', {
      faults: found.map((one) => ({ message: commandFor(one) })),
    });
  const model = await session.prompt.choose(
    'Which model?',
    found.map((one) => ({ value: `${one.provider} ${one.model}`, label: `${one.model}  (${one.provider})` })),
    '--provider',
  );
  const chosen = found.find((one) => `${one.provider} ${one.model}` === model);
  if (chosen === undefined) throw new Error('the choice is none of the offered models');
  return await addOne(session, { name: catalogueName(chosen.model), provider: chosen.provider, model: chosen.model });
}

function commandFor({ provider, model }: LocalModel): string {
  return `svc model add ${catalogueName(model)} --provider ${provider} --model ${model}`;
}
