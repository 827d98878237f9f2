// Finds the instances that answer for an agent now. The ingress asks before every call.
import { Problem } from '@gantry/contract/problems.ts';
import { hiddenContent, type HiddenContent } from '@gantry/project/agent-yaml/tracing.ts';
import type { RequiredGuardrail } from '@gantry/contract/guardrails/required.ts';
import { LRUCache } from 'lru-cache';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { CallingAsset } from '../../../governance/access/decide.ts';
import { wanted, type Kind, type Wanted } from '../../../ground/copies/copies.ts';
import { requiredRules } from '../../../models/guardrails/make-rules.ts';
import type { Rule } from '../../../models/guardrails/rule.ts';
import type { ReadAsOf } from '../../../people/login/read-as-of.ts';
import { settings } from '../../../people/principals/find.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import { requiredGuardrails } from '../../../people/principals/required-guardrails.ts';
import { textOfAsset } from '../../../assets/registry/asset-copies.ts';
import {
  selectAssets,
  toAssetRecord,
  type AssetFor,
  type AssetRecord,
  type AssetRowWithEntries,
} from '../../../assets/registry/find.ts';
import { ingressSecret } from './ingress-secret.ts';
import type { DeployParts } from '../parts.ts';
import { servingConfig } from './serving-config.ts';
import { lastEnd, type LastEnd } from '../event-store.ts';
import * as instanceStore from '../instance-store.ts';
import type * as store from '../store.ts';
import type { FindReach } from '../targets/index.ts';
import type { Reach } from '../targets/target.ts';
import { wake } from './wake.ts';

export interface Serving {
  version: string;
  /** access.allowed_callers of the serving version, as team names. Undefined when the file names none. */
  allowed_teams: string[] | undefined;
  /** From its traces. */
  hidden: HiddenContent;
  desired: store.Desired;
  /** Undefined while it is stopped. */
  revision: ServingRevision | undefined;
}

/** An instance that takes calls. */
export interface ServingAddress {
  instance_id: string;
  /** The way of its target to it. */
  reach: () => Promise<Reach>;
  /** Proves to the wrapper that the call comes from the ingress. All instances of a revision have the same. */
  secret: string;
}

export interface CalledRevision {
  revision_id: string;
  agent_id: string;
  team_id: string;
  /** The rules of the revision's version, and those that the organisation requires of its team. */
  rules: readonly Rule[];
  /** The id of the revision's gateway key. Null for revisions that are older than keys. */
  key_id: string | null;
}

export interface ServingRevision extends CalledRevision {
  /** Empty while all are starting, and while it sleeps. */
  instances: ServingAddress[];
  /** The start of an instance that is not among `instances` yet. */
  start: instanceStore.Start | null;
  /** Without calls it has no container, and `wake` starts one. */
  sleeps: boolean;
  /** The row of each call is stored before it is sent: its runs may call other agents, or ask for what the service keeps. */
  needs_row: boolean;
  /** The service keeps its threads. */
  kept_by_service: boolean;
  /** The media types that its messages may carry. Undefined: files are not checked. */
  files: readonly string[] | undefined;
}

interface CalledAgent {
  /** Read at the same moment as the other fields, unless the caller has no session. */
  caller: SignedInCaller;
  /** Undefined when the agent does not exist. */
  agent: AssetRecord | undefined;
  /** Undefined for an agent that is not deployed. */
  serving: Serving | undefined;
}

export interface ServingAgents {
  find(caller: SignedInCaller, name: string): Promise<CalledAgent>;
  /** As another asset calls it, as of now. Undefined when the agent does not exist. */
  member(by: Pick<CallingAsset, 'id'>, agent_id: string): Promise<Omit<CalledAgent, 'caller'>>;
  /** Plans an instance of the revision if it has none. The keeper of the agent starts it. */
  wake(revision_id: string): Promise<void>;
  /** An instance, whose revision may be replaced by now. Undefined when it is gone. */
  instance(id: string): Promise<{ revision: CalledRevision; address: ServingAddress } | undefined>;
  /** Why its container ended within this time. Undefined when nobody has seen an end. */
  lastEnd(id: string, within_seconds: number): Promise<LastEnd | undefined>;
}

export type { LastEnd } from '../event-store.ts';
export { instanceEpoch } from '../instance-store.ts';

interface Served {
  agent: AssetRecord;
  route: instanceStore.ServingRow | undefined;
}

const served: Kind<AssetFor, Served> = {
  name: 'serving',
  textOf: textOfAsset,
  load: async (db, keys) => {
    const rows = await instanceStore.servedAgents<AssetRowWithEntries & { n: number }>(db, selectAssets(keys));
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
  findReach,
}: Pick<DeployParts, 'db' | 'ingress_key'> & { readAsOf: ReadAsOf; findReach: FindReach }): ServingAgents {
  const secrets = new LRUCache<string, string>({
    max: 10_000,
    memoMethod: (revision_id) => ingressSecret(ingress_key, revision_id),
  });
  // Many calls at once ask once.
  const waking = new Map<string, Promise<void>>();
  const addressOf = ({ id, target, place, url }: instanceStore.Address, revision_id: string): ServingAddress => ({
    instance_id: id,
    reach: async () => await (await findReach(target))(place, url),
    secret: secrets.memo(revision_id),
  });
  const servingOf = async (found: Served | undefined, required: readonly RequiredGuardrail[]) => {
    if (found?.route === undefined) return undefined;
    const { version_id, desired } = found.route;
    const {
      version,
      allowed_teams,
      rules: own,
      deploy,
      sleeps,
      calls_others,
      files,
    } = await servingConfig(db, version_id);
    const { id: agent_id, team, visibility } = found.agent;
    const rules = [...own, ...requiredRules(required, team.name)];
    const { revision_id, key_id, addresses, start, kept_by_service, needs_run } = found.route;
    const needs_row = calls_others || needs_run;
    const instances = addresses.map((one) => addressOf(one, revision_id));
    const revision =
      desired === 'running'
        ? {
            revision_id,
            key_id,
            agent_id,
            team_id: team.id,
            rules,
            instances,
            start,
            sleeps,
            needs_row,
            kept_by_service,
            files,
          }
        : undefined;
    const hidden = hiddenContent(deploy, {
      isPrivate: visibility === 'private',
      org: { inputs: found.route.hide_trace_inputs, outputs: found.route.hide_trace_outputs },
    });
    return { revision, version, desired, allowed_teams, hidden };
  };
  const loaded = async (wanted: AssetFor) => {
    const [[found], { required_guardrails }] = await Promise.all([served.load(db, [wanted]), settings(db)]);
    return { agent: found?.agent, serving: await servingOf(found, required_guardrails) };
  };
  /** The copies that a session keeps current are not used. */
  const findWithoutSession = async ({ id, origin }: SignedInCaller, name: string) => {
    const [caller, found] = await Promise.all([
      loadIdentity(db, id, origin),
      loaded({ kind: 'agent', name, caller_id: id }),
    ]);
    if (caller === undefined)
      throw new Problem('forbidden', { detail: 'The account of the caller is no longer active.' });
    return { caller, ...found };
  };
  return {
    find: async (asking, name) => {
      if (asking.presence === null) return await findWithoutSession(asking, name);
      const { caller, found, org } = await readAsOf(asking, {
        found: servedTo(asking.id, name),
        org: requiredGuardrails(),
      });
      return { caller, agent: found?.agent, serving: await servingOf(found, org?.required_guardrails ?? []) };
    },
    member: async (by, agent_id) => await loaded({ kind: 'agent', id: agent_id, caller_id: by.id }),
    wake: async (revision_id) => {
      const asked = waking.get(revision_id) ?? wake(db, revision_id).finally(() => waking.delete(revision_id));
      waking.set(revision_id, asked);
      await asked;
    },
    lastEnd: async (id, within_seconds) => await lastEnd(db, id, within_seconds),
    instance: async (id) => {
      const row = await instanceStore.calledInstance(db, id);
      if (row === undefined || row.address === null) return undefined;
      const { revision_id, version_id, key_id, agent_id, team_id, team, address } = row;
      const own = await servingConfig(db, version_id);
      const { required_guardrails } = await settings(db);
      const rules = [...own.rules, ...requiredRules(required_guardrails, team)];
      return { revision: { revision_id, key_id, agent_id, team_id, rules }, address: addressOf(address, revision_id) };
    },
  };
}
