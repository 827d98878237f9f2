// Gateway keys. Promises: a key is shown once; it never allows more than its creator may give; a revoke that has answered admits no call.
import type { budgetDurations, GatewayKeyWithValue, KeyScope, Limits } from '@gantry/contract/models/keys.ts';
import { globMatches } from '@gantry/project/model-globs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { decide } from '../../governance/access/decide.ts';
import type { Reader } from '../../ground/database/database.ts';
import { noLimits, setLimits } from '../ledger/limits.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAssets, findAssetsById } from '../../assets/registry/find.ts';
import { issueKey } from './issue-key.ts';
import type { KeyParts } from './parts.ts';
import { grantFor } from './can-use-key.ts';
import { showWithValue } from './record.ts';
import { findScope } from './scope.ts';
import * as store from './store.ts';

export interface NewGatewayKey {
  alias?: string | undefined;
  scope: KeyScope;
  scope_id?: string | undefined;
  team?: string | undefined;
  models: string[];
  max_budget?: string | undefined;
  budget_duration: (typeof budgetDurations)[number];
  limits: Partial<Limits>;
  tags: string[];
  expires_in_seconds?: number | undefined;
}

export async function createKey(
  parts: KeyParts,
  caller: Caller,
  {
    alias,
    scope,
    scope_id,
    team,
    max_budget,
    budget_duration,
    limits,
    models,
    tags,
    expires_in_seconds,
  }: NewGatewayKey,
): Promise<GatewayKeyWithValue> {
  const { db } = parts;
  const user = signedIn(caller);
  if (scope === 'user') requireOwn(user, scope_id);
  const of = await findScope(db, user, { scope, scope_id, team });
  const grant = grantFor(user, of);
  const given: Limits = {
    ...noLimits,
    ...(max_budget === undefined ? {} : { [`${budget_duration}_usd`]: max_budget }),
    ...limits,
  };
  const key_alias = alias ?? `${scope}:${of.name}`;
  const { id, key } = await change(db, grant, 'key.created', async (tx, note) => {
    const narrowed = await usableModels(tx, user, { models, scope });
    const made = await issueKey(parts, tx, {
      alias: key_alias,
      scope,
      scope_id: of.scope_id,
      team_id: of.team?.id ?? null,
      models: narrowed,
      tags,
      created_by: user.id,
      expires_in_seconds,
      issued: false,
    });
    await store.noteSeen(tx, made.id, user.id);
    await setLimits(tx, made.id, given);
    note({ key: made.prefix, key_alias, scope, for: of.name, models: narrowed, tags, limits: given });
    return made;
  });
  return await showWithValue(db, user, { id, key });
}

function requireOwn(user: SignedInCaller, named = ''): void {
  if (user.kind !== 'user')
    throw new Problem('forbidden', { detail: 'You are a service principal.', hint: 'Use `scope: principal`.' });
  if (named !== '' && named !== user.id && named !== user.label)
    throw new Problem('forbidden', { detail: 'A key of scope user is one’s own.', hint: 'Leave `scope_id` out.' });
}

/** Throws `invalid` for an agent that the key may not name, and if no model is left. */
async function usableModels(
  db: Reader,
  user: SignedInCaller,
  { models, scope }: Pick<NewGatewayKey, 'models' | 'scope'>,
): Promise<string[]> {
  const agents = models.filter((one) => one.startsWith('agents/'));
  if (agents.length > 0) await requireAgents(db, user, { agents, scope });
  const globs = models.filter((one) => !agents.includes(one));
  return [...(globs.length === 0 ? [] : await usableGlobs(db, user, globs)), ...agents];
}

async function requireAgents(
  db: Reader,
  user: SignedInCaller,
  { agents, scope }: { agents: readonly string[]; scope: KeyScope },
): Promise<void> {
  const refuse = (message: string) => new Problem('invalid', { errors: [{ pointer: '/models', message }] });
  if (scope !== 'user' && scope !== 'principal')
    throw refuse('names an agent, and only a person or a service principal calls one: use scope user or principal');
  const asked = agents.map((ref) => ({
    kind: 'agent' as const,
    name: ref.slice('agents/'.length),
    caller_id: user.id,
  }));
  const found = await findAssets(db, asked);
  const unknown = agents.filter((_, index) => {
    const agent = found[index];
    return agent === undefined || !decide(user, 'asset.invoke', agent).allowed;
  });
  if (unknown.length > 0) throw refuse(`${unknown.join(' and ')}: there is no such agent that you may use`);
}

/** Without the globs of which the creator may use no model. Throws `invalid` if none is left. */
async function usableGlobs(db: Reader, user: SignedInCaller, globs: readonly string[]): Promise<string[]> {
  // `*` names no model: it is all that the key's holder may use.
  if (globs.every((glob) => glob === '*')) return [...globs];
  const models = await findAssetsById(db, await store.modelIds(db), user);
  const usable = models.filter((model) => decide(user, 'asset.invoke', model).allowed).map(({ name }) => name);
  const kept = globs.filter(
    (glob) => glob === '*' || usable.some((name) => globMatches(glob, name) || globMatches(glob, `models/${name}`)),
  );
  if (kept.length > 0) return kept;
  const shown = usable.toSorted().slice(0, 20);
  throw new Problem('invalid', {
    detail: `You may use no model that matches ${globs.join(', ')}.`,
    hint:
      shown.length === 0
        ? 'There is no model that you may use. See the models: svc registry model list'
        : `You may use ${shown.join(', ')}.`,
    errors: [{ pointer: '/models', message: 'must match a model that you may use' }],
  });
}
