// Personal values and secrets in a text, in every form that a reader can undo. `check` decides on bounded surroundings, so a stream gives the
// same result however it is cut.
import { piiTypes, type PiiType, type piiOptions } from '@gantry/contract/guardrails/pii-detection.ts';
import type { z } from 'zod';
import { placesOf } from '../places-of.ts';
import type { Passage, Rule, Span, TextRule, Verdict } from '../rule.ts';
import { mergeSpans } from '../stream.ts';
import { yieldTurn } from '../../../ground/yield-turn.ts';
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
  const { action = 'redact', tools } = options;
  const atTools = tools === undefined ? [] : rulesWith(options, tools).map((rule) => ({ ...rule, places: ofTools }));
  return [...rulesWith(options, action), ...atTools];
}

const ofTools = ['tool_in', 'tool_out'] as const;

function rulesWith(options: PiiOptions, action: 'redact' | 'block'): Rule[] {
  const { types, presidio, on_failure = 'block' } = options;
  const asksPresidio = presidio !== undefined && (types === undefined || types.includes('person'));
  return [byForm({ ...options, action }), ...(asksPresidio ? [namesOfPersons({ presidio, action, on_failure })] : [])];
}

function byForm({ types = withoutPerson, locales = [], allow = [], action = 'redact' }: PiiOptions): TextRule {
  const finds = findsOf(types, locales, allowed(allow));
  return {
    kind: 'text',
    name: 'pii_detection',
    places: placesOf('pii_detection'),
    reads: 'all',
    streams: 'passages',
    openFrom,
    check: async (passage) => decide(await spansOf(passage, finds), action),
  };
}

const withoutPerson = piiTypes.filter((type) => type !== 'person');

function findsOf(types: readonly PiiType[], locales: readonly string[], isAllowed: (value: string) => boolean): Find[] {
  const all: Partial<Record<PiiType, Find>> = {
    email: findEmails,
    phone: findPhones(locales),
    card: findCards,
    iban: findIbans,
    ip: findIps,
    national_id: findNationalIds(locales),
    secret: findSecrets,
  };
  return types
    .flatMap((type) => all[type] ?? [])
    .map((find) => (text) => find(text).filter(({ start, end }) => !isAllowed(text.slice(start, end))));
}

/** `a@b.co` */
const shortest_value = 6;

async function spansOf({ text, before, signal }: Passage, finds: readonly Find[]): Promise<Span[]> {
  const whole = before + text;
  if (whole.length < shortest_value) return [];
  const spans: Span[] = findHidden(whole).map((span) => ({ ...span, type: 'HIDDEN_TEXT' }));
  for (const normal of normalForms(whole)) {
    const found: Span[] = [];
    for (const find of finds) {
      await yieldTurn(signal);
      found.push(...find(normal.text));
    }
    found.push(...(await findEncoded(normal.text, (inside) => finds.flatMap((find) => find(inside)))));
    for (const { start, end, type } of found) spans.push({ ...originalSpan(normal, start, end), type });
  }
  // What starts in released text is decided already.
  return mergeKinds(spans.filter(({ start }) => start >= before.length)).map(({ start, end, type }) => ({
    start: start - before.length,
    end: end - before.length,
    type,
  }));
}

/** As mergeSpans. The form of a phone number is the weakest, so another kind names what both have found. */
function mergeKinds(spans: readonly Span[]): Span[] {
  const kinds = mergeSpans(spans.filter(({ type }) => type !== phone));
  let next = 0;
  return mergeSpans(spans).map((span) => {
    while ((kinds[next]?.end ?? Infinity) <= span.start) next++;
    const kind = kinds[next];
    return span.type === phone && kind !== undefined && kind.start < span.end ? { ...span, type: kind.type } : span;
  });
}

const phone = 'PHONE';

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
