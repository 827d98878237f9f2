import type { Place } from '@gantry/contract/guardrails/places.ts';
import { setImmediate } from 'node:timers/promises';
import type { TextRule } from './rule.ts';
import { Window, type Released, type Screened } from './stream.ts';

/** The longest part that is checked between two turns of the event loop. */
export const slice_characters = 2048;

/** A whole text through all text rules of a place. Other work runs between its slices. */
export async function screen(text: string, rules: readonly TextRule[], place: Place): Promise<Screened> {
  const window = new Window(rules, place);
  const parts: Released[] = [];
  for (let at = 0; at < text.length; at += slice_characters) {
    if (at > 0) await setImmediate();
    const screened = window.push(text.slice(at, at + slice_characters));
    if (screened.kind === 'block') return screened;
    parts.push(...screened.parts);
  }
  const last = window.end();
  return last.kind === 'block' ? last : { kind: 'released', parts: [...parts, ...last.parts] };
}
