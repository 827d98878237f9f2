// Which container answers for an agent right now: what the ingress asks before every call.
import { LRUCache } from 'lru-cache';
import type { AssetSubject } from '../access/subject.ts';
import { findAgent, selectAsset, toAssetRecord, type AssetRowWithEntries } from '../registry/find.ts';
import { allowedTeams } from './allowed-callers.ts';
import { ingressSecret } from './ingress-secret.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';

export interface Serving {
  agent: AssetSubject;
  /** access.allowed_callers of the serving version, as team names; undefined when the file names none. */
  allowed_teams: string[] | undefined;
  desired: store.Desired;
  /** Undefined while it is stopped or being started again. */
  revision: ServingInstance | undefined;
}

export interface ServingInstance {
  revision_id: string;
  /** http://<address>:8080, on the agents' network. */
  url: string;
  /** Proves to the wrapper that the call comes through the ingress. */
  secret: string;
}

export interface ServingAgents {
  /** The agent alone, whether it is deployed or not; undefined when there is none. */
  find(name: string): Promise<AssetSubject | undefined>;
  /** Undefined for one that is not deployed. */
  serving(name: string): Promise<Serving | undefined>;
  /** The container of a revision that may have been replaced meanwhile; undefined when it is gone. */
  instance(revision_id: string): Promise<ServingInstance | undefined>;
}

export function servingAgents({ db, ingress_key }: Pick<DeployParts, 'db' | 'ingress_key'>): ServingAgents {
  // A final version's content never changes, so what its file says is read once.
  const allowed = new Map<string, string[] | undefined>();
  const allowedBy = async (version_id: string) => {
    if (!allowed.has(version_id)) allowed.set(version_id, await allowedTeams(db, version_id));
    return allowed.get(version_id);
  };
  const secrets = new LRUCache<string, string>({
    max: 10_000,
    memoMethod: (revision_id) => ingressSecret(ingress_key, revision_id),
  });
  const instanceOf = (row: { revision_id: string; url: string | null } | undefined): ServingInstance | undefined =>
    row === undefined || row.url === null
      ? undefined
      : { revision_id: row.revision_id, url: row.url, secret: secrets.memo(row.revision_id) };
  return {
    find: async (name) => await findAgent(db, name),
    serving: async (name) => {
      const row = await store.servingInstance<AssetRowWithEntries>(db, selectAsset('agent', name));
      if (row === undefined) return undefined;
      const { revision_id, version_id, url, desired, ...agent } = row;
      const revision = desired === 'running' ? instanceOf({ revision_id, url }) : undefined;
      return { agent: toAssetRecord(agent), revision, desired, allowed_teams: await allowedBy(version_id) };
    },
    instance: async (revision_id) => instanceOf(await store.instance(db, revision_id)),
  };
}
