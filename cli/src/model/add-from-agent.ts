// A provider's key that an agent had becomes a secret of its team, for a model: the key in agent.yaml or .env of this folder, else the agent's
// secret in the service. A key that agent.yaml only names, and that is set nowhere, is asked for. The key is never printed.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { isModelAccessName } from '@gantry/contract/agents/environment-names.ts';
import { catalogueName, modelProviders, usualProvider, usualSecret } from '@gantry/project/model-providers.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import { misuse } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { good, line } from '../view/view.ts';
import { addOne } from './add-one.ts';

interface FromAgent {
  agent: string;
  /** In the catalogue. */
  name: string | undefined;
  /** At the provider; default: the agent's primary model. */
  model: string | undefined;
  provider: string | undefined;
}

/** A key in the project. Without a value, it is a secret in the service. */
interface FoundKey {
  provider: string;
  secret: string;
  value?: string | undefined;
  base_url?: string | undefined;
  /** The id of the agent's own secret, which has to become the team's. */
  moves?: string | undefined;
}

export async function addFromAgent(session: Session, { agent, ...wish }: FromAgent): Promise<Result> {
  const project = projectOf(agent);
  const model = wish.model ?? wish.name ?? project?.primary;
  const team = project?.team ?? (await session.call('registry.show', { params: { kind: 'agent', name: agent } })).team;
  const here = project === undefined ? [] : keysIn(project.values);
  const held = here.length > 0 ? here : await keysInService(session, { agent, team });
  const { provider, secret, value, base_url, moves } = choose(
    held.length > 0 || project === undefined ? held : keysNamed(project.yaml),
    { agent, provider: wish.provider, usual: model === undefined ? undefined : usualProvider(model) },
  );
  if (model === undefined)
    throw misuse(
      `agent.yaml names no model for the key ${secret}`,
      `Give the name that the model has at ${provider}: svc model add ${exampleOf(provider)} --from-agent ${agent} --provider ${provider}`,
    );
  if (moves !== undefined) await session.call('secrets.move', { params: { id: moves } });
  // A name of a provider, such as gemini-2.5-flash, is no name of the catalogue.
  const name = wish.name !== undefined && namePattern.test(wish.name) ? wish.name : catalogueName(wish.name ?? model);
  const wanted = { name, provider, model, secret, base_url };
  const added = await addOne(session, wanted, { team, value });
  const removed = project === undefined ? [] : removeAccess(project.yaml);
  const view = removed.length === 0 ? [] : [line(good('✓ '), `agent.yaml no longer names ${removed.join(', ')}`)];
  return { ...added, view: [...added.view, ...view] };
}

const examples: Readonly<Record<string, string>> = { openai: 'gpt-4o', gemini: 'gemini-2.5-flash' };
const exampleOf = (provider: string) => examples[provider] ?? `<model of ${provider}>`;

interface Project {
  yaml: Document;
  team: string;
  primary: string | undefined;
  /** By variable. */
  values: NodeJS.Dict<string>;
}

/** The project in this folder, when it is this agent's. */
function projectOf(agent: string): Project | undefined {
  const yaml = parseDocument(readSmall('agent.yaml'));
  const [name, team, primary] = [yaml.get('name'), yaml.get('team'), yaml.getIn(['model', 'primary'])];
  if (yaml.errors.length > 0 || name !== agent || typeof team !== 'string') return undefined;
  const variables = namesAt(yaml, 'env_vars').map((variable): [string, string] => [
    variable,
    String(yaml.getIn(['deploy', 'env_vars', variable])),
  ]);
  return {
    yaml,
    team,
    primary: typeof primary === 'string' ? primary : undefined,
    values: { ...parseEnv(readSmall('.env')), ...Object.fromEntries(variables) },
  };
}

function keysIn(values: NodeJS.Dict<string>): FoundKey[] {
  return keyNames.flatMap(({ provider, secret }) => {
    const address = provider === 'gemini' ? geminiAddress(values) : addressOf(values, secret);
    return values[secret] ? [{ provider, secret, value: values[secret], base_url: address }] : [];
  });
}

function addressOf(values: NodeJS.Dict<string>, secret: string): string | undefined {
  const stem = secret.replace(/_API_KEY$/, '');
  return ['BASE_URL', 'API_BASE', 'API_URL'].map((end) => values[`${stem}_${end}`]).find(Boolean);
}

/** Google's client adds the version to the address. */
function geminiAddress({ GOOGLE_GEMINI_BASE_URL: address }: NodeJS.Dict<string>): string | undefined {
  return address ? `${address.replace(/\/$/, '')}/v1beta` : undefined;
}

/** Their values are asked for. */
function keysNamed(yaml: Document): FoundKey[] {
  const names = namesAt(yaml, 'secrets');
  return keyNames.filter(({ secret }) => names.includes(secret));
}

async function keysInService(session: Session, of: { agent: string; team: string }): Promise<FoundKey[]> {
  const find = async (scope: { agent: string } | { team: string }) =>
    (await session.call('secrets.list', { query: { ...scope, limit: 200 } })).items;
  const [own, shared] = await Promise.all([find({ agent: of.agent }), find({ team: of.team })]);
  return keyNames.flatMap(({ provider, secret }) => {
    const isShared = shared.some(({ name }) => name === secret);
    const moves = isShared ? undefined : own.find(({ name }) => name === secret)?.id;
    return isShared || moves !== undefined ? [{ provider, secret, moves }] : [];
  });
}

const usualNames = Object.keys(modelProviders).flatMap((provider) => {
  const secret = usualSecret(provider);
  return secret === undefined ? [] : [{ provider, secret }];
});
// Google's clients read this name too.
const keyNames = [...usualNames, { provider: 'gemini', secret: 'GOOGLE_API_KEY' }];

function choose(
  found: readonly FoundKey[],
  { agent, provider, usual }: { agent: string; provider: string | undefined; usual: string | undefined },
): FoundKey {
  const fitting = provider === undefined ? found : found.filter((key) => key.provider === provider);
  // One provider can have two names for its key.
  const isOne = new Set(fitting.map((key) => key.provider)).size <= 1;
  const chosen = isOne ? fitting[0] : fitting.find((key) => key.provider === usual);
  if (chosen !== undefined) return chosen;
  if (fitting.length > 1)
    throw misuse(
      `agents/${agent} has keys of ${fitting.map((key) => key.provider).join(' and ')}`,
      `Choose one: --provider ${fitting[0]?.provider}`,
    );
  throw misuse(
    `No key of a provider was found for agents/${agent}: not in agent.yaml or .env of this folder, and not among its secrets`,
    'Give the key itself: svc model add gpt-4o --provider openai < file',
  );
}

/** The variables that the container gets from the service. Comments and other lines stay. */
function removeAccess(yaml: Document): string[] {
  const removed = namesAt(yaml, 'env_vars').filter(isModelAccessName);
  for (const variable of removed) yaml.deleteIn(['deploy', 'env_vars', variable]);
  const secrets = namesAt(yaml, 'secrets');
  for (const [index, name] of [...secrets.entries()].toReversed()) {
    if (!isModelAccessName(name)) continue;
    yaml.deleteIn(['deploy', 'secrets', index]);
    removed.push(name);
  }
  for (const field of ['env_vars', 'secrets'])
    if (yaml.hasIn(['deploy', field]) && namesAt(yaml, field).length === 0) yaml.deleteIn(['deploy', field]);
  if (removed.length > 0) writeFileSync('agent.yaml', yaml.toString({ lineWidth: 0 }));
  return removed;
}

/** The keys of the map `deploy.env_vars`, or the members of the list `deploy.secrets`. */
function namesAt(yaml: Document, field: string): string[] {
  const node = yaml.getIn(['deploy', field], true);
  if (isMap(node)) return node.items.map(({ key }) => String(key));
  return isSeq(node) ? node.items.map(String) : [];
}

const max_bytes = 1_000_000;

/** Empty for a missing file. */
function readSmall(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= max_bytes ? readFileSync(file, 'utf8') : '';
}
