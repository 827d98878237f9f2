import { isLabel, versionPattern } from '@gantry/contract/refs.ts';
import { misuse } from '../refusal.ts';
import { readNamed } from '../registry/named.ts';

/** `greeting`, `greeting@1.2.0` or `greeting@production`, with or without `prompts/`. */
export function readPromptAt(given: string): { name: string; version?: string } {
  const at = given.lastIndexOf('@');
  const { name } = readNamed('prompt', at < 0 ? given : given.slice(0, at));
  if (at < 0) return { name };
  const version = given.slice(at + 1);
  if (!versionPattern.test(version) && !isLabel(version))
    throw misuse(`${given} must end with @MAJOR.MINOR.PATCH or @<label>`);
  return { name, version };
}
