// Finds the container that answers for an agent now. The ingress asks before every call.
import { hiddenContent, type HiddenContent } from '@gantry/contract/agent-yaml/tracing.ts';
import { LRUCache } from 'lru-cache';
import type { SignedInCaller } from '../access/caller.ts';
import { wanted, type Kind, type Wanted } from '../copies/copies.ts';
import { requiredRules } from '../guardrails/make-rules.ts';
import type { Rule } from '../guardrails/rule.ts';
import type { ReadAsOf } from '../login/read-as-of.ts';
import { settings } from '../principals/find.ts';
import { requiredGuardrails } from '../principals/required-guardrails.ts';
import { textOfAsset } from '../registry/asset-copies.ts';
import {
  selectAssets,
  toAssetRecord,
  type AssetFor,
  type AssetRecord,
  type AssetRowWithEntries,
} from '../registry/find.ts';
import { ingressSecret } from './ingress-secret.ts';
import type { DeployParts } from './parts.ts';
import { servingConfig } from './serving-config.ts';
import * as store from './store.ts';

interface Serving {
  /** access.allowed_callers of the serving version, as team names. Undefined when the file names none. */
  allowed_teams: string[] | undefined;
  /** From its traces. */
  hidden: HiddenContent;
  desired: store.Desired;
  /** Undefined while it is stopped or restarting. */
  revision: ServingInstance | undefined;
}

export interface ServingAddress {
  revision_id: string;
  /** http://<address>:8080, on the agents' network. */
  url: string;
  /** Proves to the wrapper that the call comes from the ingress. */
  secret: string;
}

export interface ServingInstance extends ServingAddress {
  agent_id: string;
  team_id: string;
  /** Of its version, and those that the organisation requires of its team. */
  rules: readonly Rule[];
  /** Of the revision, at the gateway; null for one from before there were keys. */
  key_id: string | null;
}

interface CalledAgent {
  /** Read at the same moment as the other fields. */
  caller: SignedInCaller;
  /** Undefined when the agent does not exist. */
  agent: AssetRecord | undefined;
  /** Undefined for an agent that is not deployed. */
  serving: Serving | undefined;
}

export interface ServingAgents {
  find(caller: SignedInCaller, name: string): Promise<CalledAgent>;
  /** The container of a revision, which may be replaced by now. Undefined when it is gone. */
  instance(revision_id: string): Promise<ServingInstance | undefined>;
}

export { instanceEpoch } from './store.ts';

interface Served {
  agent: AssetRecord;
  route: store.ServingRow | undefined;
}

const served: Kind<AssetFor, Served> = {
  name: 'serving',
  textOf: textOfAsset,
  load: async (db, keys) => {
    const rows = await store.servedAgents<AssetRowWithEntries & { n: number }>(db, selectAssets(keys));
    const found = new Map(rows.map((row) => [row.n, row]));
    return keys.map((_, index) => {
      const row = found.get(index + 1);
      return row && { agent: toAssetRecord(row), route: row.revision_id === null ? undefined : row };
    });
  },
};

/** An agent and the target of its calls, for one caller. */
export function servedTo(caller_id: string, name: string): Wanted<Served> {
  return wanted(served, { kind: 'agent', name, caller_id });
}

export function servingAgents({
  db,
  ingress_key,
  readAsOf,
}: Pick<DeployParts, 'db' | 'ingress_key'> & { readAsOf: ReadAsOf }): ServingAgents {
  const secrets = new LRUCache<string, string>({
    max: 10_000,
    memoMethod: (revision_id) => ingressSecret(ingress_key, revision_id),
  });
  const instanceOf = (
    { revision_id, url, key_id }: store.Address,
    of: Pick<ServingInstance, 'agent_id' | 'team_id' | 'rules'>,
  ): ServingInstance | undefined =>
    url === null ? undefined : { revision_id, url, secret: secrets.memo(revision_id), key_id, ...of };
  return {
    find: async (asking, name) => {
      const { caller, found, org } = await readAsOf(asking, {
        found: servedTo(asking.id, name),
        org: requiredGuardrails(),
      });
      if (found?.route === undefined) return { caller, agent: found?.agent, serving: undefined };
      const { version_id, desired } = found.route;
      const { allowed_teams, rules: own, deploy } = await servingConfig(db, version_id);
      const { id: agent_id, team, visibility } = found.agent;
      const rules = [...own, ...requiredRules(org?.required_guardrails ?? [], team.name)];
      const revision =
        desired === 'running' ? instanceOf(found.route, { agent_id, team_id: team.id, rules }) : undefined;
      const hidden = hiddenContent(deploy, {
        isPrivate: visibility === 'private',
        org: { inputs: found.route.hide_trace_inputs, outputs: found.route.hide_trace_outputs },
      });
      const serving = { revision, desired, allowed_teams, hidden };
      return { caller, agent: found.agent, serving };
    },
    instance: async (revision_id) => {
      const row = await store.addressOfRevision(db, revision_id);
      if (row === undefined) return undefined;
      const { version_id, agent_id, team_id, team } = row;
      const own = await servingConfig(db, version_id);
      const { required_guardrails } = await settings(db);
      const rules = [...own.rules, ...requiredRules(required_guardrails, team)];
      return instanceOf(row, { agent_id, team_id, rules });
    },
  };
}
