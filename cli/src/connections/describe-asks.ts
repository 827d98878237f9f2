// What waits for the person before an agent acts in their name.
import type { ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import type { Next } from '../result.ts';
import { fields, link, strong, time, type View } from '../view/view.ts';

/** Whole, because the consent is for exactly this. */
export function describeAsks(asks: readonly ConnectionAsk[]): View {
  return ofAgents(asks).map(({ id, agent, through, server, address, writes, is_connected, link: page, expires_at }) =>
    fields({
      ask: strong(id),
      agent: agent ?? '',
      'acts as you at': `${server} (${address})`,
      through: through.length > 1 ? through.join(' ← ') : undefined,
      'may write with': writes.length === 0 ? 'nothing: its tools only read' : writes.join(', '),
      connected: is_connected ? 'yes' : ['no; first open ', link(page)],
      until: time(expires_at),
    }),
  );
}

export function afterAsks(asks: readonly ConnectionAsk[]): Next[] {
  const [first] = ofAgents(asks);
  if (first === undefined) return [];
  if (!first.is_connected)
    return [{ command: `svc connect ${nameOf(first)}`, when: 'to connect, before you allow it' }];
  return [{ command: `svc connections allow ${first.id}`, when: 'to let it act in your name; `refuse` refuses it' }];
}

/** Those with which a person only connects have their link. */
const ofAgents = (asks: readonly ConnectionAsk[]) => asks.filter(({ agent }) => agent !== null);

export const nameOf = ({ server }: Pick<ConnectionAsk, 'server'>) => server.replace('mcp-servers/', '');
