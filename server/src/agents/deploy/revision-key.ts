// The gateway key of a revision, the only way to models that its container gets. Step 5 issues it without effect. During step 6 the agent may call
// models while it loads. Step 7 activates the key in the transaction that registers the revision. The key ends when the container is removed.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { guardrailsOf } from '@gantry/contract/guardrails.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import {
  activateAgentKey,
  endAgentKey,
  endAgentKeys,
  endUnusedAgentKeys,
  mintAgentKey,
  openAgentKey,
  type NewAgentKey,
} from '../../models/keys/holders/agent-keys.ts';
import type { KeyMaker } from '../../models/keys/parts.ts';
import { memoryOfAgent, type PinnedMemory } from '../../assets/registry/references/memory-of-agent.ts';
import type { Run } from '../../ground/runs/run.ts';
import type { DeployInput } from './deploy-run.ts';
import { egressToken } from './limited/egress-token.ts';
import { ingressSecret } from './serving/ingress-secret.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';
import type { SecretFiles, Secrets } from './targets/target.ts';

/** A repeated step 5 issues another key and ends the one before, which nobody has used. */
export async function issueRevisionKey(
  { db, key_maker }: DeployParts,
  run: Run<DeployInput>,
  { grant, config, team_id }: { grant: Grant; config: AgentConfig; team_id: string },
): Promise<string> {
  const { agent_id, agent: name } = run.input;
  return await change(db, grant, 'key.created', async (tx, note) => {
    await run.fenced(tx);
    await endUnusedAgentKeys(tx, agent_id);
    const models = modelsOf(config, await memoryOfAgent(tx, run.input.digest));
    const { primary, fallback, temperature, max_tokens } = config.model ?? {};
    const settings = { fallback, temperature, max_tokens, guardrails: guardrailsOf(config.guardrails), primary };
    const by = { created_by: run.actor.user_id, start_run_id: run.id };
    const made = await mintAgentKey(key_maker, tx, { agent_id, name, team_id, models, settings, ...by });
    note({ key: made.prefix, key_alias: `agent:${name}`, scope: 'agent', for: name, models, run_id: run.id });
    return made.id;
  });
}

/** Ends the agent's unused keys after a failed deploy. */
export async function endUnusedKeys({ db }: Pick<DeployParts, 'db'>, agent_id: string): Promise<void> {
  await endKeys(db, async (tx) => await endUnusedAgentKeys(tx, agent_id));
}

export async function endRevisionKey({ db }: Pick<DeployParts, 'db'>, key_id: string): Promise<void> {
  await endKeys(db, async (tx) => await endAgentKey(tx, key_id));
}

async function endKeys(db: Database, end: (tx: GovernedTx) => Promise<string[]>): Promise<void> {
  const grant = authorize(systemCaller('system.end_keys'), 'system.end_keys', theOrg);
  await change(db, grant, 'key.revoked', async (tx, note) => {
    const keys = await end(tx);
    if (keys.length > 0) note({ keys });
  });
}

/**
 * After a transfer: ends the agent's keys, and issues those of its revisions with a container anew, for its new team. The keeper then
 * restarts the container with its key. Returns the names of the ended keys.
 */
export async function moveRevisionKeys(
  maker: KeyMaker,
  tx: GovernedTx,
  agent: Omit<NewAgentKey, 'models' | 'settings'>,
): Promise<string[]> {
  const revisions = await store.revisionsWithKey(tx, agent.agent_id);
  const ended = await endAgentKeys(tx, agent.agent_id);
  for (const { id, models, settings } of revisions) {
    const key = await mintAgentKey(maker, tx, { ...agent, models, settings });
    await activateAgentKey(tx, key.id);
    await store.setRevisionKey(tx, id, key.id);
  }
  return ended;
}

/** The variables with which the clients of model vendors find the gateway, and their key to it. */
export async function modelAccess(
  { db, key_maker, service_url }: Pick<DeployParts, 'db' | 'key_maker'> & { service_url: string },
  key_id: string,
  config: AgentConfig,
): Promise<SecretFiles> {
  // Clients of vendors do not start without a key. The gateway refuses this one, so the agent starts after an admin has revoked its key.
  const key = (await openAgentKey(key_maker, db, key_id)) ?? 'revoked';
  return modelFiles({ service_url, key }, config);
}

export function modelFiles(
  { service_url, key }: { service_url: string; key: string },
  { model }: AgentConfig,
): SecretFiles {
  const primary = model?.primary;
  return {
    SVC_SERVICE_URL: service_url,
    // Its name for images with a wrapper of an earlier release.
    SVC_GATEWAY_URL: service_url,
    SVC_GATEWAY_KEY: key,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${service_url}/v1`,
    OPENAI_API_BASE: `${service_url}/v1`,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: service_url,
    ANTHROPIC_API_URL: service_url,
    ANTHROPIC_API_BASE: service_url,
    // Google's client prints a warning about both names, and uses GOOGLE_API_KEY. Others read one of them alone.
    GEMINI_API_KEY: key,
    GOOGLE_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: service_url,
    GEMINI_API_BASE: `${service_url}/v1beta`,
    // Its clients send no key, so the wrapper adds it. A variable with the key would go to ollama.com too.
    OLLAMA_HOST: service_url,
    ...(primary === undefined ? {} : { SVC_MODEL: primary, OPENAI_MODEL_NAME: primary }),
  };
}

/** What the service gives a revision, masked in what the agent prints, like a secret. A container keeps its earlier keys under the same name. */
export async function valuesOfRevision(
  { db, key_maker, ingress_key }: Pick<DeployParts, 'db' | 'key_maker' | 'ingress_key'>,
  { id, key_id }: { id: string; key_id: string | null },
): Promise<Secrets> {
  const key = key_id === null ? {} : { OPENAI_API_KEY: await openAgentKey(key_maker, db, key_id) };
  return { ...key, SVC_INGRESS_SECRET: ingressSecret(ingress_key, id), SVC_EGRESS_TOKEN: egressToken(ingress_key, id) };
}

// Without a model in agent.yaml, the agent calls what its team may use. The model of its memory config summarises for it.
function modelsOf({ model }: AgentConfig, memory: PinnedMemory | undefined): string[] {
  const named = [model?.primary, model?.fallback].filter((name) => name !== undefined);
  const summariser = memory?.config.model?.ref;
  return named.length === 0 ? ['*'] : [...named, ...(summariser === undefined ? [] : [summariser])];
}
