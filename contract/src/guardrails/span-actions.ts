// What guardrails did with a call, as attributes of its span: `guardrail.<rule>.<place>.<action>` is a count. No attribute has a part of a text.
import { guardrailNames, places, type GuardrailName, type Place } from './places.ts';

const spanActions = ['redacted', 'annotated', 'blocked', 'failed'] as const;

export interface SpanAction {
  rule: GuardrailName;
  place: Place;
  action: (typeof spanActions)[number];
  count: number;
}

/** `checked` is no action. */
export function attributesOfActions(
  done: readonly (Pick<SpanAction, 'rule' | 'place' | 'count'> & { outcome: SpanAction['action'] | 'checked' })[],
): Record<string, number> {
  return Object.fromEntries(
    done
      .filter(({ outcome }) => outcome !== 'checked')
      .map(({ rule, place, outcome, count }) => [`guardrail.${rule}.${place}.${outcome}`, count]),
  );
}

export function actionsOfSpan({ attributes }: { attributes: Readonly<Record<string, unknown>> }): SpanAction[] {
  return guardrailNames.flatMap((rule) =>
    places.flatMap((place) =>
      spanActions.flatMap((action) => {
        const count = attributes[`guardrail.${rule}.${place}.${action}`];
        return typeof count === 'number' ? [{ rule, place, action, count }] : [];
      }),
    ),
  );
}
