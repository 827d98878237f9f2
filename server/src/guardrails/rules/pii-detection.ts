// Personal values and secrets in a text, in every form that a reader can undo. `check` decides on bounded surroundings, so a stream gives the
// same result however it is cut.
import { piiTypes, type PiiType, type piiOptions } from '@gantry/contract/guardrails/pii-detection.ts';
import type { z } from 'zod';
import { placesOf } from '../places-of.ts';
import type { Passage, Rule, Span, TextRule, Verdict } from '../rule.ts';
import { mergeSpans } from '../stream.ts';
import { namesOfPersons } from './names-of-persons.ts';
import { findCards } from './pii/find-cards.ts';
import { findEmails } from './pii/find-emails.ts';
import { findEncoded } from './pii/find-encoded.ts';
import { findIbans } from './pii/find-ibans.ts';
import { findIps } from './pii/find-ips.ts';
import { findPhones } from './pii/find-phones.ts';
import { findSecrets } from './pii/find-secrets.ts';
import type { Find } from './pii/match.ts';
import { findNationalIds } from './pii/national-ids.ts';
import { findHidden, normalForms, originalSpan } from './pii/normalise.ts';
import { openFrom } from './pii/open-from.ts';
import { matchesPattern } from './pattern.ts';

type PiiOptions = z.output<typeof piiOptions>;

export function piiDetection(options: PiiOptions): Rule[] {
  const { types, presidio, action = 'redact', on_failure = 'block' } = options;
  const asksPresidio = presidio !== undefined && (types === undefined || types.includes('person'));
  return [byForm(options), ...(asksPresidio ? [namesOfPersons({ presidio, action, on_failure })] : [])];
}

function byForm({ types = withoutPerson, locales = [], allow = [], action = 'redact' }: PiiOptions): TextRule {
  const find = findAll(types, locales);
  const isAllowed = allowed(allow);
  return {
    kind: 'text',
    name: 'pii_detection',
    places: placesOf('pii_detection'),
    reads: 'all',
    streams: 'passages',
    openFrom,
    check: (passage) => decide(spansOf(passage, find, isAllowed), action),
  };
}

const withoutPerson = piiTypes.filter((type) => type !== 'person');

function findAll(types: readonly PiiType[], locales: readonly string[]): Find {
  const finds: Partial<Record<PiiType, Find>> = {
    email: findEmails,
    phone: findPhones(locales),
    card: findCards,
    iban: findIbans,
    ip: findIps,
    national_id: findNationalIds(locales),
    secret: findSecrets,
  };
  const chosen = types.flatMap((type) => finds[type] ?? []);
  return (text) => chosen.flatMap((find) => find(text));
}

function spansOf({ text, before }: Passage, find: Find, isAllowed: (value: string) => boolean): Span[] {
  const whole = before + text;
  const spans: Span[] = findHidden(whole).map((span) => ({ ...span, type: 'HIDDEN_TEXT' }));
  for (const normal of normalForms(whole)) {
    const keep: Find = (inside) => find(inside).filter(({ start, end }) => !isAllowed(inside.slice(start, end)));
    for (const { start, end, type } of [...keep(normal.text), ...findEncoded(normal.text, keep)])
      spans.push({ ...originalSpan(normal, start, end), type });
  }
  // What starts in released text is decided already.
  return mergeSpans(spans.filter(({ start }) => start >= before.length)).map(({ start, end, type }) => ({
    start: start - before.length,
    end: end - before.length,
    type,
  }));
}

function allowed(allow: NonNullable<PiiOptions['allow']>): (value: string) => boolean {
  const values = new Set(allow.filter((entry) => typeof entry === 'string').map((entry) => entry.toLowerCase()));
  const patterns = allow.filter((entry) => typeof entry !== 'string').map(({ pattern }) => matchesPattern(pattern));
  return (value) => values.has(value.toLowerCase()) || patterns.some((matches) => matches(value));
}

function decide(spans: Span[], action: 'redact' | 'block'): Verdict {
  if (spans.length === 0) return { kind: 'pass' };
  if (action === 'redact') return { kind: 'redact', spans };
  return {
    kind: 'block',
    reason: `The text has ${[...new Set(spans.map(({ type }) => type))].toSorted().join(', ')}.`,
  };
}
