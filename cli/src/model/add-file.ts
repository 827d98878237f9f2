import type { Model } from '@gantry/contract/models/models.ts';
import { readGiven } from '../input/read-given.ts';
import { teamToOwn } from '../principals/team-to-own.ts';
import { misuse } from '../refusal.ts';
import { checkedConfig, printConfig, type Config } from '../registry/typed-config.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { good, line } from '../view/view.ts';
import { applyModel, type Applied } from './apply-model.ts';
import { faultLines } from './describe-model.ts';
import { refuseNames } from './refuse-name.ts';

/** Every config is checked before anything changes. A file that was applied before changes nothing. */
export async function addFile(session: Session, file: string): Promise<Result> {
  const configs = await readModels(file);
  const team = await teamToOwn(session);
  const models: { model: Model; applied: Applied }[] = [];
  for (const [name, config] of configs) {
    const applied = await applyModel(session, { name, team, config });
    models.push({ model: await session.call('models.show', { params: { name } }), applied });
  }
  return {
    data: models.map(({ model, applied }) => ({ ...model, applied })),
    view: models.flatMap(({ model, applied }) => [
      line(applied === 'unchanged' ? '  ' : good('✓ '), `models/${model.name}@${model.version} is ${applied}`),
      ...faultLines(model),
    ]),
    next: models
      .slice(0, 1)
      .map(({ model }) => ({ command: `svc model test ${model.name}`, when: 'to make one call' })),
  };
}

async function readModels(file: string): Promise<[string, Config][]> {
  const { parse } = await import('yaml');
  const written = await readGiven(file);
  const given = parsed(() => parse(written, { maxAliasCount: 100 }) as unknown);
  const models = typeof given === 'object' && given !== null && 'models' in given ? given.models : undefined;
  if (typeof models !== 'object' || models === null || Array.isArray(models))
    throw misuse(
      `${file} has no map \`models\` of names and configs`,
      'Write it like `models: {gpt-4o: {provider: openai, model: gpt-4o, secret: OPENAI_API_KEY}}`.',
    );
  refuseNames(Object.keys(models), file);
  const configs: [string, Config][] = [];
  for (const [name, config] of Object.entries(models as Record<string, object | null>)) {
    const { config: checked } = await checkedConfig(
      'model',
      await printConfig(config ?? {}),
      `models/${name} in ${file}`,
    );
    configs.push([name, checked]);
  }
  return configs;

  function parsed(read: () => unknown): unknown {
    try {
      return read();
    } catch (error) {
      throw misuse(`${file} is no valid YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`);
    }
  }
}
