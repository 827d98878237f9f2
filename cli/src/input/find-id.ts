import { isId } from '@gantry/contract/wire.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';

interface Candidate {
  id: string;
  is: string;
}

// Enough to choose from; a longer list only shows that more characters are needed.
const max_named = 5;

const listed = {
  request: async (session: Session, id: string): Promise<Candidate[]> => {
    const { items } = await session.call('approvals.list', { query: { id, limit: max_named } });
    return items.map((one) => ({ id: one.id, is: `${one.asset}@${one.asset_version}, ${one.status}` }));
  },
  deploy: async (session: Session, id: string): Promise<Candidate[]> => {
    const { items } = await session.call('deployments.list', { query: { id, limit: max_named } });
    return items.map((one) => ({ id: one.id, is: `${one.ref}, ${one.state}` }));
  },
};

/** The whole id, from an id or from its first characters. Refused when several ids begin with them. */
export async function findId(session: Session, kind: keyof typeof listed, given: string): Promise<string> {
  return await findAmong(kind, given, async (id) => await listed[kind](session, id));
}

export async function findDelivery(session: Session, webhook: string, given: string): Promise<string> {
  return await findAmong('delivery', given, async (id) => {
    const params = { name: webhook };
    const { items } = await session.call('webhooks.deliveries', { params, query: { id, limit: max_named } });
    return items.map((one) => ({ id: one.id, is: `${one.event}, ${one.state}` }));
  });
}

async function findAmong(kind: string, given: string, list: (id: string) => Promise<Candidate[]>): Promise<string> {
  const id = given.toLowerCase();
  const isWhole: boolean = isId(id);
  if (isWhole) return id;
  if (!/^[0-9a-f-]{1,36}$/.test(id))
    throw misuse(`"${given}" is not the id of a ${kind}`, 'Give the id, or enough of its first characters.');
  const [found, ...others] = await list(id);
  if (found === undefined)
    throw new Problem('not_found', { detail: `No visible ${kind} has an id that begins with ${id}` });
  if (others.length > 0) throw ambiguous(kind, id, [found, ...others]);
  return found.id;
}

function ambiguous(kind: string, id: string, candidates: Candidate[]): CliRefusal {
  return new CliRefusal('ambiguous', `More than one ${kind} has an id that begins with ${id}`, {
    hint: 'Type more characters.',
    faults: candidates.map((one) => ({ message: `${one.id}  ${one.is}` })),
  });
}
