// The test of a model makes one small call at each upstream, as an agent would call it. The model's team pays, because a provider bills the call.
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { ModelTest } from '@gantry/contract/models/models.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { askNobody } from '../../guardrails/guarded-call.ts';
import { openAccounts } from '../../ledger/accounts.ts';
import { installationId } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { nanoOf } from '../upstream/attempt.ts';
import { AttemptFailed } from '../upstream/attempt-failed.ts';
import { missingCredential, placeOf, report } from '../upstream/attempts.ts';
import { openCall } from '../admission/open-call.ts';
import { modelOf, type Tester } from '../admission/facts.ts';
import type { Model, Upstream } from '../model.ts';
import { nearestModel } from './nearest-model.ts';
import type { GatewayParts } from '../parts.ts';
import { noRun } from '../run-of-call.ts';
import * as store from '../store.ts';
import { chatCompletions } from '../wires/chat-completions.ts';
import { embeddings } from '../wires/embeddings.ts';
import { embedContent } from '../wires/gemini-embeddings.ts';
import { generateContent } from '../wires/gemini.ts';
import { messages } from '../wires/messages.ts';
import { rerank } from '../wires/rerank.ts';
import { isJson, usageIn, type Json, type Wire } from '../wires/wire.ts';

interface TestParts {
  db: Database;
  gateway: GatewayParts;
}

/** Throws what the ledger refuses. */
export async function testModel(
  { db, gateway }: TestParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<ModelTest[]> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'model', name }, caller);
  authorize(user, 'asset.write', asset);
  const [row] = await store.modelsById(db, [asset.id]);
  if (row === undefined) throw new Problem('not_found');
  const model = await modelOf(db, gateway.readCredentials, row);
  if (model.upstreams.length === 0)
    return [failure(null, `It has no address: the provider ${model.provider} has no preset. Set \`base_url\`.`)];
  const tester = testerOf(user, model, await installationId(db));
  await openAccounts(db, tester.accounts);
  const tests: ModelTest[] = [];
  for (const upstream of model.upstreams) tests.push(await testUpstream(gateway, { model, upstream, tester, signal }));
  // The next look at the model shows what the test has found.
  await gateway.writeHealth();
  return tests;
}

function testerOf(user: SignedInCaller, model: Model, org_id: string): Tester {
  const { id, label } = user;
  return {
    kind: 'tester',
    id,
    accounts: [model.team.id, org_id],
    facts: {
      model,
      meant: [],
      rules: [],
      key: {
        id,
        prefix: 'svc model test',
        team: model.team.name,
        user: user.kind === 'user' ? label : null,
        agent: null,
        principal: user.kind === 'principal' ? user.name : null,
        models: [model.name],
        tags: [],
        settings: {},
        expires_at: null,
        is_revoked: false,
        is_activated: true,
      },
    },
  };
}

interface Tested {
  model: Model;
  upstream: Upstream;
  tester: Tester;
  signal: AbortSignal;
}

async function testUpstream(gateway: GatewayParts, { model, upstream, tester, signal }: Tested): Promise<ModelTest> {
  const { base_url } = upstream;
  const unset = missingCredential(model, upstream);
  if (unset !== undefined) return failure(base_url, sentence(`${unset.why}. ${unset.hint ?? ''}`));
  const { wire, sent } = smallCall(model);
  const call = openCall(gateway, wire, {
    sent,
    headers: new Headers(),
    caller: tester,
    run: noRun,
    signal,
    ask: askNobody,
  });
  const held = await call.admit(model.name, 1);
  const began = performance.now();
  try {
    const { body } = await call.send(held, upstream);
    const latency_ms = Math.round(performance.now() - began);
    gateway.health.succeeded(placeOf(model, upstream));
    const usage = usageIn(wire, wire.countsIn(jsonOf(body)));
    const nano = usage && nanoOf(model, usage);
    if (nano === undefined)
      return {
        ...failure(
          base_url,
          `It answered in ${latency_ms} ms, without usage: each call is charged at its highest possible cost.`,
        ),
        latency_ms,
      };
    const usd = model.price === undefined ? null : formatUsd(nano);
    const unpriced = usd === null ? ', and has no price: a budget refuses its calls' : '';
    return { base_url, works: true, message: `It answered in ${latency_ms} ms${unpriced}.`, latency_ms, usd };
  } catch (error) {
    const message = error instanceof AttemptFailed ? await explain(gateway, error, { model, upstream }) : undefined;
    // The service wrote this call itself, so a refusal says that the model does not work: a client's own call would say nothing.
    if (error instanceof AttemptFailed && error.kind === 'refused' && message !== undefined)
      gateway.health.failed(placeOf(model, upstream), message);
    else report(gateway.health, placeOf(model, upstream), error);
    if (message === undefined) throw error;
    return failure(base_url, message);
  }
}

function smallCall({ name: model, kind, type, max_tokens_field }: Model): { wire: Wire; sent: Json } {
  const prompt = [{ role: 'user', content: 'Say yes.' }];
  if (type === 'rerank') return { wire: rerank, sent: { model, query: 'yes', documents: ['yes'] } };
  if (kind === 'gemini') {
    const content = { role: 'user', parts: [{ text: 'Say yes.' }] };
    if (type === 'embedding') return { wire: embedContent, sent: { model, content } };
    return { wire: generateContent, sent: { model, contents: [content], generationConfig: { maxOutputTokens: 16 } } };
  }
  if (type === 'embedding') return { wire: embeddings, sent: { model, input: 'yes' } };
  if (kind === 'anthropic') return { wire: messages, sent: { model, messages: prompt, max_tokens: 16 } };
  return { wire: chatCompletions, sent: { model, messages: prompt, [max_tokens_field]: 16 } };
}

async function explain(
  gateway: GatewayParts,
  { status, problem }: AttemptFailed,
  { model, upstream }: Pick<Tested, 'model' | 'upstream'>,
): Promise<string> {
  const { secret } = upstream;
  if (status === 401 || status === 403)
    return secret === undefined
      ? `It wants a credential (${status}), and the config names no secret.`
      : `It refuses the credential (${status}). Set another: svc secret set ${secret} --team ${model.team.name}`;
  if (status === 404) return await nearestModel(gateway, model, upstream);
  return sentence(problem.detail.replace(/^models\/\S+ does not answer: /, ''));
}

function failure(base_url: string | null, message: string): ModelTest {
  return { base_url, works: false, message, latency_ms: null, usd: null };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).trim();
}

function jsonOf(body: unknown): Json {
  const said: unknown = body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : undefined;
  return isJson(said) ? said : {};
}
