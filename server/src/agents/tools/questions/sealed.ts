// What a question and its answer say, at rest.
import type { QuestionField, QuestionValues } from '@gantry/contract/assets/tool-questions.ts';
import type { Envelope, SealedRow } from '../../../ground/envelope/envelope.ts';
import { openContent, sealContent } from '../../memory/sealed-content.ts';

export interface Question {
  message: string;
  fields: QuestionField[];
}

interface QuestionOfCall extends Question {
  arguments: Record<string, unknown>;
}

interface Sealed {
  question: QuestionOfCall;
  answer: QuestionValues;
}

/** Each column has a name of its own, so that none stands in the place of the other. */
const rowOf = (id: string, what: keyof Sealed): SealedRow => ({ table: `tool_question.${what}`, id });

export async function seal<What extends keyof Sealed>(
  envelope: Envelope,
  { id, what }: { id: string; what: What },
  value: Sealed[What],
): Promise<Buffer> {
  return await sealContent(envelope, rowOf(id, what), { head: {}, parts: [Buffer.from(JSON.stringify(value))] });
}

/** Throws `memory_damaged`. */
export async function open<What extends keyof Sealed>(
  envelope: Envelope,
  { id, what }: { id: string; what: What },
  sealed: Buffer,
): Promise<Sealed[What]> {
  const { rest } = await openContent(envelope, rowOf(id, what), sealed);
  return JSON.parse(rest().toString()) as Sealed[What]; // as it was sealed
}
