// The AG-UI events of a member's call, as part of the stream of its run. AG-UI attributes them by `subagentRunId`, the id of the call. Two members
// can use the same id or step name, so each begins with the id or the path of its call. Promise: each message, tool call and step that begins here
// ends here, also when the member's events break off.
import type { Event } from '../../../models/guardrails/guarded-events.ts';

/** What begins, the member with its id, and what ends it. */
const spans = [
  { start: 'TEXT_MESSAGE_START', id: 'messageId', end: 'TEXT_MESSAGE_END', within: ['TEXT_MESSAGE_CONTENT'] },
  { start: 'TOOL_CALL_START', id: 'toolCallId', end: 'TOOL_CALL_END', within: ['TOOL_CALL_ARGS'] },
  { start: 'STEP_STARTED', id: 'stepName', end: 'STEP_FINISHED', within: [] },
] as const;
const whole = ['TOOL_CALL_RESULT', 'CUSTOM'];
const ids = ['messageId', 'toolCallId', 'parentMessageId'];

export class NestedEvents {
  readonly #path: string;
  readonly #call_id: string;
  /** What ends it, by its kind and id. */
  readonly #open = new Map<string, Event>();

  constructor({ path, call_id }: { path: string; call_id: string }) {
    this.#path = path;
    this.#call_id = call_id;
  }

  /** None for what only a whole run may say: its start, its end and its state. */
  of(event: Event): Event[] {
    const type = String(event['type']);
    if (whole.includes(type)) return [this.#named(event)];
    for (const { start, id, end, within } of spans) {
      const key = `${start} ${String(event[id])}`;
      if (type === start && !this.#open.has(key)) {
        const named = this.#named(event);
        const { subagentRunId, metadata } = named;
        this.#open.set(key, { type: end, [id]: named[id], subagentRunId, metadata });
        return [named];
      }
      if (type === end && this.#open.delete(key)) return [this.#named(event)];
      if (within.some((one) => one === type) && this.#open.has(key)) return [this.#named(event)];
    }
    return [];
  }

  /** The ends of what is open. */
  close(): Event[] {
    const ends = [...this.#open.values()];
    this.#open.clear();
    return ends;
  }

  #named(event: Event): Event {
    const named: Record<string, unknown> = { ...event, subagentRunId: this.#call_id, metadata: { path: this.#path } };
    for (const [name, before] of [...ids.map((id) => [id, this.#call_id] as const), ['stepName', this.#path] as const])
      if (typeof event[name] === 'string') named[name] = `${before}/${event[name]}`;
    return named;
  }
}
