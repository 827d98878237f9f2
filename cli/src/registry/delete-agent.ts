import { suggestAgent } from '../agent/agent-name.ts';
import { confirmFinal } from '../input/confirm-final.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { good, line } from '../view/view.ts';

/** First the containers, then the record. Asks for confirmation unless `yes`. */
export async function deleteAgent(session: Session, name: string, yes: boolean): Promise<Result> {
  const agent = await suggestAgent(session, name, () => session.call('agents.status', { params: { name } }));
  const deed = `Delete ${name} (${agent.state}${agent.ref === null ? '' : `, ${agent.ref}`}) with all of its versions`;
  await confirmFinal(session, { yes, deed, otherwise: `${name} was not deleted` });
  await session.call('agents.delete', { params: { name } });
  return { data: { name, deleted: true }, view: [line(good('✓ '), `${name} is deleted`)] };
}
