// Where the events of a stream of Gemini carry text. The last piece of a text is in the event that ends it.
import type { Problem } from '@gantry/contract/problems.ts';
import type { Delta, Event, EventForm } from '../../guardrails/guarded-events.ts';
import { googleError } from '../../../governance/http/refusals/google-error.ts';
import { googleDocument } from './document-forms.ts';
import { isJson, listOf, type Json } from './wire.ts';

const kinds = ['thought', 'text'] as const;
type Kind = (typeof kinds)[number];

export const geminiEvents: EventForm = {
  document: googleDocument,
  read: (event) => {
    if (isJson(event['error'])) return { event, deltas: [], ends: [], isOnlyDeltas: false };
    const candidates = listOf(event['candidates']).filter(isJson);
    const read = candidates.map((candidate, at) => readCandidate(event, candidate, at));
    if (read.includes(undefined)) return undefined;
    const known = read.filter((one) => one !== undefined);
    return {
      event: { ...event, ...('candidates' in event && { candidates }) },
      deltas: known.flatMap(({ deltas }) => deltas),
      ends: known.flatMap(({ ends }) => ends),
      isOnlyDeltas: known.length > 0 && known.every(({ isOnlyText }) => isOnlyText),
    };
  },
};

interface SeenCandidate {
  deltas: Delta[];
  ends: string[];
  isOnlyText: boolean;
}

/** Undefined for one that must not pass. */
function readCandidate(event: Event, candidate: Json, at: number): SeenCandidate | undefined {
  const content = isJson(candidate['content']) ? candidate['content'] : {};
  const parts = listOf(content['parts']);
  // Arguments in pieces are no text that a rule can read.
  if (parts.some(hasPieces)) return undefined;
  const nameOf = (kind: Kind) => `candidate ${JSON.stringify(candidate['index'] ?? 0)} ${kind}`;
  const pieces = parts.flatMap((part, index): { kind: Kind; delta: Delta }[] => {
    if (!isJson(part) || typeof part['text'] !== 'string') return [];
    const kind = part['thought'] === true ? 'thought' : 'text';
    const path = ['candidates', at, 'content', 'parts', index, 'text'];
    return [{ kind, delta: { name: nameOf(kind), path, text: part['text'], print: printer(event, candidate, kind) } }];
  });
  const hasEnded = typeof candidate['finishReason'] === 'string';
  const lastOf = (kind: Kind) => pieces.findLast((one) => one.kind === kind);
  const isLast = ({ kind, delta }: (typeof pieces)[number]) => hasEnded && lastOf(kind)?.delta === delta;
  return {
    deltas: pieces.map((piece) => (isLast(piece) ? { ...piece.delta, isLast: true } : piece.delta)),
    // A text ends where another kind of part goes on.
    ends: hasEnded || parts.length > 0 ? kinds.filter((kind) => lastOf(kind) === undefined).map(nameOf) : [],
    isOnlyText: !hasEnded && parts.length > 0 && parts.every(isOnlyText),
  };
}

function printer(event: Event, candidate: Json, kind: Kind): Delta['print'] {
  const { candidates: _, usageMetadata: __, promptFeedback: ___, ...head } = event;
  const { index = 0 } = candidate;
  return (text) => ({
    candidates: [
      { content: { role: 'model', parts: [{ text, ...(kind === 'thought' && { thought: true }) }] }, index },
    ],
    ...head,
  });
}

function hasPieces(part: unknown): boolean {
  const called = isJson(part) ? part['functionCall'] : undefined;
  return isJson(called) && ('partialArgs' in called || 'willContinue' in called);
}

function isOnlyText(part: unknown): boolean {
  return isJson(part) && 'text' in part && Object.keys(part).every((name) => name === 'text' || name === 'thought');
}

export function printGeminiBreak({ code, detail, status }: Pick<Problem, 'code' | 'detail' | 'status'>): string {
  const error = googleError({ status, message: detail, code, metadata: { code } });
  return `data: ${JSON.stringify({ error })}\n\n`;
}
