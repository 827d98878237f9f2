import type { Model } from '@gantry/contract/models/models.ts';
import { usualSecret } from '@gantry/project/model-providers.ts';
import { teamToOwn } from '../principals/team-to-own.ts';
import { checkedConfig } from '../registry/typed-config.ts';
import type { Result } from '../result.ts';
import { readValue } from '../secret/read-value.ts';
import type { Session } from '../session/session.ts';
import { good, line, warn, type View } from '../view/view.ts';
import { describeOutput, describePrice, faultLines } from './describe-model.ts';

export interface NewModel {
  name: string;
  provider: string;
  model: string;
  base_url?: string | undefined;
  api_version?: string | undefined;
  /** The project and the region of Vertex AI. */
  project?: string | undefined;
  region?: string | undefined;
  /** The name of the secret with the credential. */
  secret?: string | undefined;
  type?: Model['type'] | undefined;
  max_output_tokens?: number | undefined;
  context_window_tokens?: number | undefined;
}

/** Its credential, when it is not asked for. */
interface Known {
  team?: string | undefined;
  value?: string | undefined;
}

export async function addOne(
  session: Session,
  { name, secret, ...given }: NewModel,
  known: Known = {},
): Promise<Result> {
  const credential = secret ?? usualSecret(given.provider);
  const text = JSON.stringify({ ...given, ...(credential === undefined ? {} : { secret: credential }) });
  const { config } = await checkedConfig('model', text, `models/${name}`);
  const team = known.team ?? (await teamToOwn(session));
  const isSet = credential === undefined || (await isSecretOf(session, team, credential));
  const command = `svc model add ${name} --provider ${given.provider}`;
  const value = isSet ? undefined : (known.value ?? (await readValue(session, credential, command)));
  await session.call('registry.create', { params: { kind: 'model' }, body: { name, team, config } });
  if (value !== undefined && credential !== undefined)
    await session.call('secrets.set', { body: { team, name: credential, value } });
  const model = await session.call('models.show', { params: { name } });
  const uses =
    value === undefined && credential !== undefined ? `, with the secret ${credential} that team:${team} has` : '';
  return {
    data: model,
    view: [
      line(good('✓ '), `models/${name} calls ${given.model} at ${model.upstreams[0]?.base_url ?? 'no address'}${uses}`),
      ...(model.upstreams.length === 0
        ? [line(warn('! '), `${given.provider} has no preset address: add it again with --base-url`)]
        : []),
      ...faultLines(model),
      line(model.price === null ? warn('! ') : '  ', `Its price is ${describePrice(model)}`),
      ...(model.type === 'chat'
        ? [
            line(
              model.max_output_from === 'default' ? warn('! ') : '  ',
              `Its longest answer is ${describeOutput(model)}`,
            ),
          ]
        : []),
      ...formerPrice(model),
    ],
    next: [
      { command: `svc model test ${name}`, when: 'to make one call' },
      ...(model.type === 'chat' && model.kind === 'openai'
        ? [{ command: `svc init bot --template chat --model ${name}`, when: 'to make an agent that calls it' }]
        : []),
    ],
    undo: `svc model remove ${name}`,
  };
}

/** The command is whole: a config has these figures under these names. */
function formerPrice({ name, former_price }: Model): View {
  if (former_price === null) return [];
  const flags = Object.entries(former_price).map(([kind, usd]) => `--${kind.replace('_', '-')} ${usd}`);
  return [
    line(
      warn('! '),
      `The removed models/${name} had a price of its own, and this one does not: svc model price set ${name} ${flags.join(' ')}`,
    ),
  ];
}

async function isSecretOf(session: Session, team: string, name: string): Promise<boolean> {
  return (await session.call('secrets.list', { query: { team, name, limit: 1 } })).items.length > 0;
}
