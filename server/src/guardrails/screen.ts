import type { Place } from '@gantry/contract/guardrails/places.ts';
import type { TextRule } from './rule.ts';
import { Window, type Screened } from './stream.ts';

/** A whole text through all text rules of a place. */
export async function screen(text: string, rules: readonly TextRule[], place: Place): Promise<Screened> {
  const window = new Window(rules, place);
  const pushed = await window.push(text);
  const last = await window.end();
  return pushed.kind === 'block' || last.kind === 'block'
    ? last
    : { kind: 'released', parts: [...pushed.parts, ...last.parts] };
}
