// Patterns of users run in RE2, which reads every text in linear time.
import { RE2JS } from 're2js';

/** True for a text with a match. Throws on a pattern that RE2 does not take. */
export function matchesPattern(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
}
