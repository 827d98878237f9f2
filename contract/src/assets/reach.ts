// What an asset reaches, as lines, the widest first. A review, a plan, a difference and the agent's page show the same lines.
import { z } from 'zod';
import { assetKinds } from '../roles.ts';

export const reachLine = z.object({
  kind: z
    .enum([
      ...assetKinds,
      'internet',
      'models',
      'secret',
      'user-credential',
      'host',
      'shared-memory',
      'hosted-package',
      'hosted-secret',
      'hosted-host',
    ])
    .describe('`internet` and `models` have no limit: the whole internet, and every model of its team'),
  name: z.string(),
  unbounded: z.boolean().describe('it also covers what nobody has named'),
  change: z
    .enum(['same', 'added', 'removed', 'changed', 'widened', 'narrowed'])
    .describe('`narrowed`: until now it reached more than this; `widened`: until now a part of this'),
  instead_of: z.array(z.string()).describe('what it reached until now, of a widened or narrowed line'),
  before: z.string().nullable().describe('the pinned version, where it has one'),
  after: z.string().nullable(),
  about: z.string().nullable().describe('of a skill: its description and the names of its files'),
});
export type ReachLine = z.output<typeof reachLine>;

const hostedWords: Partial<Record<ReachLine['kind'], string>> = {
  'hosted-package': 'program',
  'hosted-secret': 'secret',
  'hosted-host': 'host',
};

/** What the line says, such as `secret CRM_TOKEN` or `the whole internet`. */
export function nameReach({ kind, name, unbounded }: Pick<ReachLine, 'kind' | 'name' | 'unbounded'>): string {
  if (kind === 'user-credential') return `wants a credential of the user, at ${name}`;
  const of_hosted = hostedWords[kind];
  if (of_hosted !== undefined) return `${of_hosted} ${name}`;
  return unbounded ? name : `${kind.replaceAll('-', ' ')} ${name}`;
}

/** True for an agent that has no way out but the model gateway. */
export function reachesNoAddress(reach: readonly ReachLine[]): boolean {
  return reach.every(({ kind, change }) => change === 'removed' || (kind !== 'internet' && kind !== 'host'));
}

/** The effect, for a person who decides. */
export const reachMeanings: Record<ReachLine['kind'], string> = {
  internet: 'It connects to any address outside, and could send it all that it knows.',
  models: 'It names no model, so it may call each one that its team may use, also those added later.',
  secret: 'It reads this secret, and could send it wherever its network goes.',
  'user-credential':
    'It wants a credential of the user, and calls this server in the name of each caller who allows it.',
  host: 'It connects to this address, and could send it all that it knows.',
  model: 'It sends texts to this model; each call costs money.',
  tool: 'It uses this tool, with any input.',
  'mcp-server': 'It uses the tools of this server, with any input.',
  'hosted-package': 'This program of others runs beside it, and reads what it sends to the server.',
  'hosted-secret': 'The program of this server gets this secret; the agent does not.',
  'hosted-host': 'The program of this server connects to this address, and could send it all that it is given.',
  'knowledge-base': 'It reads what this knowledge base holds.',
  'rag-index': 'It reads what this index holds.',
  'memory-config': 'It remembers conversations in this memory.',
  'shared-memory': 'What one caller tells it, others may read.',
  prompt: 'It follows the instructions of this prompt.',
  skill: 'It reads the instructions and files of this skill, and may follow and run them.',
  agent: 'It calls this agent, which has an access of its own.',
  target: 'It runs on this target, which gets its secrets.',
  orchestration: 'It calls this orchestration, which has an access of its own.',
};
