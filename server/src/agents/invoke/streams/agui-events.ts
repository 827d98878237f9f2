// Where the events of an agent's stream carry text (AG-UI, as the wrapper writes it).
import type { Delta, Event, EventForm } from '../../../models/guardrails/guarded-events.ts';
import type { DocumentForm } from '../../../models/guardrails/json-texts.ts';
import { readPart } from './graph-parts.ts';

/** Of the protocol whose events the service writes itself (ag-ui.com/spec/1.0). */
export const agui_version = '1.0';

/** A call and its answer. The service's own members are beside these. */
export const invocationDocument: DocumentForm = {
  identifiers: new Set(
    'type status title code protocolVersion run_id thread_id runId threadId messageId toolCallId parentMessageId id role created_at started_at ended_at'.split(
      ' ',
    ),
  ),
  dropped: new Set(),
  free: new Set('input config context metadata output interrupts snapshot delta result value'.split(' ')),
};

/** The member that names the text, by the type of the event with a piece of it. */
const pieces: Readonly<Record<string, { of: string; ends: string }>> = {
  TEXT_MESSAGE_CONTENT: { of: 'messageId', ends: 'TEXT_MESSAGE_END' },
  TEXT_MESSAGE_CHUNK: { of: 'messageId', ends: 'TEXT_MESSAGE_END' },
  REASONING_MESSAGE_CONTENT: { of: 'messageId', ends: 'REASONING_MESSAGE_END' },
  TOOL_CALL_ARGS: { of: 'toolCallId', ends: 'TOOL_CALL_END' },
};

export const aguiEvents: EventForm = {
  document: invocationDocument,
  read: (event) => {
    const part = readPart(event);
    // A part also says who speaks, and which tool is called.
    if (part !== undefined) return { ...part, isOnlyDeltas: false };
    const type = String(event['type']);
    const delta = pieceOf(type, event);
    if (delta !== undefined) return { event, deltas: [delta], ends: [], isOnlyDeltas: true };
    return { event, deltas: [], ends: endsOf(type, event), isOnlyDeltas: false };
  },
};

function pieceOf(type: string, event: Event): Delta | undefined {
  // An agent can write a text of its own in pieces.
  if (type === 'CUSTOM' && typeof event['value'] === 'string')
    return {
      name: `CUSTOM ${String(event['name'])}`,
      path: ['value'],
      text: event['value'],
      print: (value) => ({ ...event, value }),
    };
  const piece = pieces[type];
  if (piece === undefined || typeof event['delta'] !== 'string') return undefined;
  return {
    name: `${piece.ends} ${String(event[piece.of])}`,
    path: ['delta'],
    text: event['delta'],
    isJson: type === 'TOOL_CALL_ARGS',
    print: (delta) => ({ ...event, delta }),
  };
}

function endsOf(type: string, event: Event): string[] {
  if (type === 'RUN_FINISHED' || type === 'RUN_ERROR') return [''];
  const ending = Object.values(pieces).find(({ ends }) => ends === type);
  return ending === undefined ? [] : [`${type} ${String(event[ending.of])}`];
}
