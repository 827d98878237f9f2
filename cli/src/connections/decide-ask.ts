import { required } from '../command.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { bad, good, line } from '../view/view.ts';
import { nameOf } from './describe-asks.ts';

export const askArgument = required('The id of what waits: svc connections');

export async function decideOnAsk(session: Session, id: string, decision: 'allow' | 'refuse'): Promise<Result> {
  const ask = await session.call('connections.decide', { params: { id }, body: { decision } });
  const { agent, server } = ask;
  if (decision === 'refuse')
    return {
      data: ask,
      view: [line(bad('✗ '), `${agent} does not act in your name at ${server}; it may ask again in a day`)],
    };
  return {
    data: ask,
    view: [line(good('✓ '), `${agent} may act in your name at ${server}`)],
    undo: `svc connections remove ${nameOf(ask)} --agent ${(agent ?? '').replace('agents/', '')}`,
  };
}
