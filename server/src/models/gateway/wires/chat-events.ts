// Where the events of a chat/completions stream carry text.
import type { Delta, Event, EventForm } from '../../guardrails/guarded-events.ts';
import { openaiDocument } from './document-forms.ts';
import { isJson, listOf, type Json } from './wire.ts';

const texts = ['content', 'refusal', 'reasoning', 'reasoning_content'];

export const chatEvents: EventForm = {
  document: openaiDocument,
  read: (event) => {
    if (!Array.isArray(event['choices']))
      return isJson(event['error']) ? { event, deltas: [], ends: [], isOnlyDeltas: false } : undefined;
    const choices = event['choices'].filter(isJson).map(knownOf);
    const { usage = null } = event;
    const head = only(event, ['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint']);
    return {
      event: { ...head, choices, ...('usage' in event && { usage }) },
      deltas: choices.flatMap((choice, index) => deltasOf(head, choice, index)),
      ends: choices.filter(({ finish_reason }) => finish_reason !== null).map((choice) => nameOf(choice)),
      isOnlyDeltas: usage === null && choices.length > 0 && choices.every(isOnlyText),
    };
  },
};

/** A choice without the members in which text could go on unseen. */
function knownOf(choice: Json): Json {
  const delta = isJson(choice['delta']) ? choice['delta'] : {};
  const calls = listOf(delta['tool_calls']).filter(isJson);
  return {
    index: choice['index'],
    delta: {
      ...only(delta, ['role', ...texts, 'function_call']),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => only(call, ['index', 'id', 'type', 'function'])) }),
    },
    finish_reason: choice['finish_reason'] ?? null,
  };
}

function deltasOf(head: Json, choice: Json, at: number): Delta[] {
  const { delta } = choice;
  if (!isJson(delta)) return [];
  const print = (piece: Json): Event => ({
    ...head,
    choices: [{ index: choice['index'], delta: piece, finish_reason: null }],
  });
  const said = texts.flatMap((member): Delta[] => {
    const text = delta[member];
    if (typeof text !== 'string') return [];
    const path = ['choices', at, 'delta', member];
    return [{ name: `${nameOf(choice)}${member}`, path, text, print: (piece) => print({ [member]: piece }) }];
  });
  const called = listOf(delta['tool_calls']).flatMap((call, index): Delta[] => {
    if (!isJson(call) || !isJson(call['function'])) return [];
    const text = call['function']['arguments'];
    if (typeof text !== 'string') return [];
    return [
      {
        name: `${nameOf(choice)}tool ${String(call['index'])}`,
        path: ['choices', at, 'delta', 'tool_calls', index, 'function', 'arguments'],
        text,
        isJson: true,
        print: (piece) => print({ tool_calls: [{ index: call['index'], function: { arguments: piece } }] }),
      },
    ];
  });
  const { function_call } = delta;
  if (!isJson(function_call) || typeof function_call['arguments'] !== 'string') return [...said, ...called];
  return [
    ...said,
    ...called,
    {
      name: `${nameOf(choice)}function`,
      path: ['choices', at, 'delta', 'function_call', 'arguments'],
      text: function_call['arguments'],
      isJson: true,
      print: (piece) => print({ function_call: { arguments: piece } }),
    },
  ];
}

function nameOf(choice: Json): string {
  return `choice ${String(choice['index'])} `;
}

function isOnlyText({ delta, finish_reason }: Json): boolean {
  if (finish_reason !== null || !isJson(delta)) return false;
  const names = Object.keys(delta);
  const calls = listOf(delta['tool_calls']);
  return (
    names.length > 0 &&
    names.every((name) => texts.includes(name) || name === 'tool_calls') &&
    calls.every((call) => isJson(call) && call['id'] === undefined)
  );
}

function only(members: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}
