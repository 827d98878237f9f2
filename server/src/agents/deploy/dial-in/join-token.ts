// The token with which an instance joins at the door. It is random, for one start of one instance, and reaches the instance as a secret file. The
// replicas of a platform start with equal files: they have one token for each revision.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Tx } from '../../../ground/database/database.ts';
import type { DeployParts } from '../parts.ts';
import type { Place, SecretFiles, Target } from '../targets/target.ts';
import { putToken } from './join-store.ts';
import { putSharedToken } from '../replica-store.ts';

export const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Ends the token of the start before. */
export async function issueToken(tx: Tx, instance_id: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await putToken(tx, { instance_id, hash: hashed(token) });
  return token;
}

/** The same for the same revision: its replicas start at any time, with files that the platform keeps. */
async function shareToken(
  { db, ingress_key }: Pick<DeployParts, 'db' | 'ingress_key'>,
  { revision_id, config }: Pick<Starting, 'revision_id' | 'config'>,
  hasScaler: boolean,
): Promise<string> {
  const token = createHmac('sha256', ingress_key).update(`join ${revision_id}`).digest('base64url');
  const { max } = scalingOf(config);
  // While a platform replaces its replicas, it runs a quarter more, as Kubernetes does.
  const most = hasScaler ? max + Math.ceil(max / 4) : 0;
  await putSharedToken(db, { revision_id, hash: hashed(token), most });
  return token;
}

// The keeper looks at each instance every 1.5 s, and sees in this time that a platform ends it.
const leave_notice_seconds = 5;

/** Of every replica of a platform. */
export const shared_dial_names = ['SVC_DIAL_URL', 'SVC_JOIN_TOKEN', 'SVC_LEAVE_NOTICE_SECONDS'] as const;

interface Starting {
  instance_id: string;
  revision_id: string;
  config: AgentConfig;
  place: Place;
  signal: AbortSignal;
}

/**
 * How an instance that dials in finds the door and proves itself. Nothing for other targets, and for an instance that runs already: it has
 * the token of its start. Throws `engine_unavailable` where this process cannot get the connections.
 */
export async function dialFiles(
  parts: Pick<DeployParts, 'db' | 'dialled' | 'ingress_key'>,
  target: Target,
  starting: Starting,
): Promise<SecretFiles> {
  const { instance_id, place, signal } = starting;
  const isOneOfMany = target.dials_in === 'as one of many';
  if (target.dials_in === undefined) return {};
  if ((await parts.dialled?.isOpen()) !== true)
    throw new Problem('engine_unavailable', {
      detail: 'Instances of this target dial in. No process of the service takes their connections now.',
      hint: 'Start a process with all roles, or one of the role gateway with DOOR_HOST, an address at which the others reach it.',
    });
  if (!isOneOfMany && (await target.observe(place, signal)).state === 'running') return {};
  const { service_url, ca } = await target.outgoing(place);
  return {
    SVC_DIAL_URL: service_url,
    SVC_JOIN_TOKEN: isOneOfMany
      ? await shareToken(parts, starting, target.scalesItself?.(place) === true)
      : await issueToken(parts.db, instance_id),
    ...(ca === undefined ? {} : { SVC_DIAL_CA: ca }),
    ...(isOneOfMany ? { SVC_LEAVE_NOTICE_SECONDS: String(leave_notice_seconds) } : {}),
  };
}
