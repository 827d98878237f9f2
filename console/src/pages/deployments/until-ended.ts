import { send } from '../../server.ts';

/** Waits for the end of an operation, because the next one of its agent is refused until then. */
export async function untilEnded(id: string): Promise<void> {
  const { answer } = await send('deployments.events', { params: { id } });
  for await (const { data } of answer) if (data.kind === 'end') return;
}
