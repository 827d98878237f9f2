// The facts that decide a call: the key, and the model that the key may use under the requested name. All of it is governed, so it may be kept under
// the hash of the governance chain's head. An admission reads that hash after it has locked the key's account. Facts are read after the hash, so
// they may be newer than it, never older.
import { LRUCache } from 'lru-cache';
import { secretsOfModel } from '@gantry/project/asset-config/model.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller, SignedInCaller } from '../../../governance/access/caller.ts';
import { decide } from '../../../governance/access/decide.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { comparesWithGiven } from '../../guardrails/given.ts';
import { makeRules, requiredRules } from '../../guardrails/make-rules.ts';
import type { Rule } from '../../guardrails/rule.ts';
import type { Embedding } from '../embedding/embedding.ts';
import type { Judging } from '../judging/judging.ts';
import type { Trial } from '../trial/trial.ts';
import type { Reranking } from '../reranking/reranking.ts';
import { keyFacts, type KeyFacts } from '../../keys/calls/facts.ts';
import { settings } from '../../../people/principals/find.ts';
import { findAssetsById } from '../../../assets/registry/find.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import { toModel, type Credentials, type Model, type ModelRow } from '../model.ts';
import { isCovered, modelsCalled, requireOne } from '../catalogue/model-called.ts';
import * as store from '../store.ts';

export interface Facts {
  key: KeyFacts;
  /** Undefined when the key may use no model of this name, and when the name means several. */
  model: Model | undefined;
  /** What the name means, of the models that the key may use. */
  meant: readonly ModelRow[];
  /** The guardrails of the key's agent, and those that the organisation requires. */
  rules: readonly Rule[];
}

export interface KnownFacts {
  /** Throws `invalid_api_key` for a key whose holder is gone. */
  load(db: Reader, hash: string, asked: AskedFacts): Promise<Facts>;
}

/** Who pays for a call. */
export type Payer = KeyCaller | Tester | ForKey;

/** A call that the service makes for the holder of a key, who pays. */
type ForKey = ForKeyAlone | Trial;
/** No right of a person counts. */
type ForKeyAlone = Judging | Embedding | Reranking;

/** Whose call it is. */
export function holderOfCall(caller: Payer): KeyCaller | Tester {
  return 'payer' in caller ? caller.payer : caller;
}

/** A person tests a model, and its team pays. */
export interface Tester {
  kind: 'tester';
  id: string;
  accounts: readonly string[];
  /** What their request has just read. */
  facts: Facts;
}

interface AskedFacts {
  caller: Payer;
  model: string;
}

/** The values of a team's secrets, by name, without those that are not set. A higher folder knows them. */
export type ReadCredentials = (db: Reader, team_id: string, names: readonly string[]) => Promise<Credentials>;

const max_known = 50_000;

export function openFacts(readCredentials: ReadCredentials): KnownFacts {
  const known = new LRUCache<string, { hash: string; facts: Facts }>({ max: max_known });
  return {
    load: async (db, hash, { caller, model }) => {
      if (caller.kind === 'tester') return caller.facts;
      const name = `${caller.id} ${nameOfUse(caller)}${model}`;
      const kept = known.get(name);
      if (kept?.hash === hash) return kept.facts;
      const facts = await load(db, readCredentials, { caller, model });
      known.set(name, { hash, facts });
      return facts;
    },
  };
}

async function load(
  db: Reader,
  readCredentials: ReadCredentials,
  { caller, model }: { caller: KeyCaller | ForKey; model: string },
): Promise<Facts> {
  if (caller.kind === 'trial') return await loadForTrial(db, readCredentials, { caller, model });
  if (caller.kind !== 'key') return await loadForService(db, readCredentials, { caller, model });
  const { key, models } = await usable(db, caller, store.modelsNamed(db, model, caller.team_id));
  const meant = modelsCalled(models, model, caller.team_id);
  return {
    key,
    meant,
    model: await theOnly(db, readCredentials, meant),
    rules: await rulesFor(db, key),
  };
}

/** The model is chosen by who tries it, so their own right on it counts, and none of the key. No other model answers in its place. */
async function loadForTrial(
  db: Reader,
  readCredentials: ReadCredentials,
  { caller: { payer, holder_id, tag }, model: asked }: { caller: Trial; model: string },
): Promise<Facts> {
  const [key, holder, rows] = await Promise.all([
    keyFacts(db, payer.id),
    loadIdentity(db, holder_id, payer.origin),
    store.modelsNamed(db, asked, payer.team_id),
  ]);
  if (key === undefined || holder === undefined) throw new Problem('invalid_api_key');
  const meant = modelsCalled(await usableBy(db, holder, rows), asked, payer.team_id);
  const model = await theOnly(db, readCredentials, meant);
  return {
    key: { ...key, tags: withTag(key, tag), settings: {} },
    meant,
    model: model && { ...model, fallbacks: [] },
    rules: await rulesFor(db, key),
  };
}

/** The model is chosen by who wrote the guardrail, the memory config or the index, so it need not be among the models of the key. */
async function loadForService(
  db: Reader,
  readCredentials: ReadCredentials,
  { caller, model: asked }: { caller: ForKeyAlone; model: string },
): Promise<Facts> {
  const { key, models } = await usableByService(db, caller.payer, asked);
  const meant = modelsCalled(models, asked, caller.payer.team_id);
  const model = await theOnly(db, readCredentials, meant);
  const rules = await rulesFor(db, key);
  return {
    key: { ...key, tags: withTag(key, tagOf(caller)), settings: {} },
    meant,
    // Vectors of a fallback would look like those of the model.
    model: model && caller.kind === 'embedding' ? { ...model, fallbacks: [] } : model,
    rules: rules.filter(caller.kind === 'judge' ? isHiding : isBefore),
  };
}

/** What an agent keeps is no source of what it says, so no rule compares with it. */
const isBefore = (rule: Rule) => rule.places.includes('model_in') && !comparesWithGiven([rule]);

/** A judge reads what the others hide. */
const isHiding = ({ name, kind, places }: Rule) =>
  name === 'pii_detection' && kind === 'text' && places.includes('model_in');

/** Facts of a key differ by what it pays for, and by whose right counts. */
function nameOfUse(caller: KeyCaller | ForKey): string {
  if (caller.kind === 'key') return '';
  return caller.kind === 'trial' ? `${caller.tag} ${caller.holder_id} ` : `${caller.kind} ${tagOf(caller)} `;
}

/** A call has each tag once. */
const withTag = ({ tags }: KeyFacts, tag: string): string[] => [...new Set([...tags, tag])];

const tagOf = (caller: ForKeyAlone) => (caller.kind === 'judge' ? `guardrail:${caller.rule}` : caller.tag);

async function theOnly(
  db: Reader,
  readCredentials: ReadCredentials,
  [row, ...others]: readonly ModelRow[],
): Promise<Model | undefined> {
  return row === undefined || others.length > 0 ? undefined : await modelOf(db, readCredentials, row);
}

/** The model that the service calls for this key. Throws `model_ambiguous`. */
export async function modelForService(db: Reader, payer: KeyCaller, model: string): Promise<ModelRow | undefined> {
  const { models } = await usableByService(db, payer, model);
  const meant = modelsCalled(models, model, payer.team_id);
  requireOne(model, meant);
  return meant[0];
}

const usableByService = async (db: Reader, payer: KeyCaller, model: string) =>
  await usable(db, payer, store.modelsNamed(db, model, payer.team_id), { isAnyModel: true });

/** The rules of the key's agent, and those that the organisation requires of its team. */
async function rulesFor(db: Reader, { team, settings: { guardrails = [], primary } }: KeyFacts): Promise<Rule[]> {
  const { required_guardrails } = await settings(db);
  return [...makeRules(guardrails, primary), ...requiredRules(required_guardrails, team)];
}

/** The models among the found ones that the key may use, in their order. Throws as `load` of KnownFacts does. */
export async function usable<Row extends ModelRow>(
  db: Reader,
  caller: KeyCaller,
  found: Promise<Row[]>,
  { isAnyModel = false }: { isAnyModel?: boolean } = {},
): Promise<{ key: KeyFacts; models: Row[] }> {
  const [key, holder, rows] = await Promise.all([keyFacts(db, caller.id), holderOf(db, caller), found]);
  if (key === undefined || holder === undefined) throw new Problem('invalid_api_key');
  const named = rows.filter((row) => isAnyModel || isCovered(row, caller.team_id, key.models));
  return { key, models: await usableBy(db, holder, named) };
}

/** The models among these that the holder may use, in their order. */
export async function usableBy<Row extends ModelRow>(
  db: Reader,
  holder: SignedInCaller,
  rows: readonly Row[],
): Promise<Row[]> {
  const assets = await findAssetsById(
    db,
    rows.map(({ id }) => id),
    holder,
  );
  const allowed = new Set(
    assets.filter((asset) => decide(holder, 'asset.invoke', asset).allowed).map((asset) => asset.id),
  );
  return rows.filter(({ id }) => allowed.has(id));
}

export async function modelOf(db: Reader, readCredentials: ReadCredentials, row: ModelRow): Promise<Model> {
  const names = secretsOfModel(row.config);
  return toModel(row, names.length === 0 ? new Map() : await readCredentials(db, row.team_id, names));
}

/** Whose rights on models the key has: its user's, its service principal's, or those of everyone in its team or in the organisation. */
async function holderOf(db: Reader, caller: KeyCaller): Promise<SignedInCaller | undefined> {
  const { scope, scope_id, team_id, label, origin } = caller;
  if (scope === 'user' || scope === 'principal') return await loadIdentity(db, scope_id, origin);
  return everyoneIn(team_id, { id: team_id ?? scope_id, label, origin });
}

/** With the rights that everyone in the team has; without a team, everyone in the organisation. */
export function everyoneIn(
  team_id: string | null,
  { id, label, origin }: Pick<SignedInCaller, 'id' | 'label' | 'origin'>,
): SignedInCaller {
  return {
    kind: 'principal',
    id,
    label,
    name: label,
    role: 'viewer',
    memberships: team_id === null ? [] : [{ team_id, team: '', role: 'viewer' }],
    groups: [],
    reading: [],
    primary_team: null,
    active_team: null,
    allowed_assets: ['models/*'],
    presence: null,
    origin,
  };
}
