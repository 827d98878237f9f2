// The arguments of a call that waits, at rest.
import type { Envelope, SealedRow } from '../../../ground/envelope/envelope.ts';
import { openContent, sealContent } from '../../memory/sealed-content.ts';

const rowOf = (id: string): SealedRow => ({ table: 'tool_approval', id });

export async function sealArguments(envelope: Envelope, id: string, args: Record<string, unknown>): Promise<Buffer> {
  return await sealContent(envelope, rowOf(id), { head: {}, parts: [Buffer.from(JSON.stringify(args))] });
}

/** Throws `memory_damaged`. */
export async function openArguments(
  envelope: Envelope,
  { id, arguments: sealed }: { id: string; arguments: Buffer },
): Promise<unknown> {
  const { rest } = await openContent(envelope, rowOf(id), sealed);
  return JSON.parse(rest().toString()) as unknown;
}
