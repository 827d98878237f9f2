// Finds the container that answers for an agent now. The ingress asks before every call.
import { hiddenContent, type HiddenContent } from '@gantry/contract/agent-yaml/tracing.ts';
import { LRUCache } from 'lru-cache';
import type { SignedInCaller } from '../access/caller.ts';
import { wanted, type Kind, type Wanted } from '../copies/copies.ts';
import type { Rule } from '../guardrails/rule.ts';
import type { ReadAsOf } from '../login/read-as-of.ts';
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
  /** The guardrails of its version. */
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
    rules: readonly Rule[],
  ): ServingInstance | undefined =>
    url === null ? undefined : { revision_id, url, secret: secrets.memo(revision_id), rules, key_id };
  return {
    find: async (asking, name) => {
      const { caller, found } = await readAsOf(asking, { found: servedTo(asking.id, name) });
      if (found?.route === undefined) return { caller, agent: found?.agent, serving: undefined };
      const { version_id, desired } = found.route;
      const { allowed_teams, rules, tracing } = await servingConfig(db, version_id);
      const org = { inputs: found.route.hide_trace_inputs, outputs: found.route.hide_trace_outputs };
      const hidden = hiddenContent(tracing, { isPrivate: found.agent.visibility === 'private', org });
      const revision = desired === 'running' ? instanceOf(found.route, rules) : undefined;
      const serving = { revision, desired, allowed_teams, hidden };
      return { caller, agent: found.agent, serving };
    },
    instance: async (revision_id) => {
      const row = await store.address(db, revision_id);
      return row && instanceOf(row, (await servingConfig(db, row.version_id)).rules);
    },
  };
}
