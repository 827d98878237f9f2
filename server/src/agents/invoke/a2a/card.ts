// The card of an agent: what it takes and how it is called. Its reader needs no right to call it.
import { authorize } from '../../../governance/access/authorize.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { doorAddress } from '../../deploy/serving/door-address.ts';
import { describeAgent } from '../describe-agent.ts';
import type { Ingress } from '../ingress.ts';
import type { Question } from '../ask.ts';
import { findSubagent } from '../subagent.ts';
import type { Asked } from './own-task.ts';
import { cardOf03, requirementOf03, securityOf03 } from './version-0-3.ts';

export async function readCard(ingress: Ingress, asked: Question & Pick<Asked, 'headers'>): Promise<Reply> {
  const { user, agent, serving, base_url } = await findForReader(ingress, asked);
  const { name, description, tags } = agent;
  const { revision, version } = serving;
  const described =
    revision === undefined ? undefined : await describeAgent(ingress, { agent, revision, user }, asked.signal);
  const url = `${base_url}/agents/${name}/a2a`;
  const { input_schema = null, keeps_threads = false } = described ?? {};
  const isInside = asked.caller.kind === 'agent';
  const files = revision?.files ?? [];
  return jsonReply(
    printCard({ name, description, tags, version, url, input_schema, keeps_threads, files, isInside, kind: 'agent' }),
  );
}

async function findForReader(ingress: Ingress, { caller, name, headers }: Question & Pick<Asked, 'headers'>) {
  if (caller.kind === 'agent') {
    const { user, asset: agent, serving } = await findSubagent(ingress, caller, name);
    // On a network of the engine, the name by which it has asked is the one that it reaches.
    const base_url = (await doorAddress(ingress.db, caller.revision_id)) ?? `http://${headers.get('host')}`;
    return { user, agent, serving, base_url };
  }
  const { caller: user, agent, serving } = await ingress.agents.find(signedIn(caller), name);
  if (agent === undefined) throw new Problem('not_found');
  authorize(user, 'asset.read', agent);
  if (serving === undefined) throw new Problem('not_deployed', { detail: `${agent.ref} is not deployed.` });
  return { user, agent, serving, base_url: ingress.base_url() };
}

const bearer = { scheme: 'bearer', bearerFormat: 'JWT' };

// Its `params.keeps_threads` says if a `contextId` is a conversation.
const threads_extension = 'urn:gantry:a2a:threads';

export interface Described {
  name: string;
  description: string;
  tags: readonly string[];
  version: string;
  /** The address of JSON-RPC and of its REST twins. */
  url: string;
  input_schema: Record<string, unknown> | null;
  keeps_threads: boolean;
  /** The media types of files that its messages may carry. */
  files?: readonly string[];
  /** What has no tags is one of these. */
  kind: 'agent' | 'orchestration';
  /** For an agent: its container adds the credential, so a client needs none. */
  isInside: boolean;
}

/** One card for both versions: their members have different names. */
export function printCard(described: Described): object {
  const { name, description, tags, version, url, input_schema, keeps_threads, files = [], isInside, kind } = described;
  const about = description === '' ? name : description;
  const fields = inputFields(input_schema).map(({ name: field, type }) =>
    type === undefined ? field : `${field} (${type})`,
  );
  const modes = ['text/plain', 'application/json'];
  return {
    name,
    description: about,
    version,
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [threadsOf(keeps_threads)],
    },
    ...cardOf03(url),
    ...(!isInside && {
      securitySchemes: { bearer: { httpAuthSecurityScheme: bearer, ...securityOf03(bearer) } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      ...requirementOf03,
    }),
    defaultInputModes: [...modes, ...files],
    defaultOutputModes: modes,
    skills: [
      {
        id: name,
        name,
        description: fields.length === 0 ? about : `${about} Input: ${fields.join(', ')}.`,
        tags: tags.length === 0 ? [kind] : tags,
        inputModes: [...modes, ...files],
        outputModes: modes,
      },
    ],
  };
}

function threadsOf(keeps_threads: boolean): object {
  const description = keeps_threads
    ? 'It remembers the earlier messages of a contextId.'
    : 'It remembers nothing of earlier messages: a contextId only groups tasks.';
  return { uri: threads_extension, description, required: false, params: { keeps_threads } };
}
