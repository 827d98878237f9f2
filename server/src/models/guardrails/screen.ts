import type { TextRule } from './rule.ts';
import { Window, type Checking, type Screened } from './stream.ts';

/** A whole text through all text rules of a place. */
export async function screen(text: string, rules: readonly TextRule[], checking: Checking): Promise<Screened> {
  const window = new Window(rules, checking);
  const pushed = await window.push(text);
  const last = await window.end();
  return pushed.kind === 'block' || last.kind === 'block'
    ? last
    : { kind: 'released', parts: [...pushed.parts, ...last.parts] };
}
