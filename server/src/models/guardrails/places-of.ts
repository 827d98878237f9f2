import { guardrailPlaces, places, type GuardrailName, type Place } from '@gantry/contract/guardrails/places.ts';

/** The places where a guardrail checks without an option. */
export const placesOf = (name: GuardrailName): Place[] =>
  places.filter((place) => guardrailPlaces[name][place].default !== 'off');
