// One guardrail is one or several rules. A rule is a pure function of a text and its options; the pipeline runs the rules, changes the text
// and records the verdicts. A verdict never has a part of the text in its reason, because reasons are logged.
import type { GuardrailName, Place } from '@gantry/contract/guardrails/places.ts';

export type Rule = TextRule | JudgeRule;

/** Part of a text, in UTF-16 offsets, and the type that its placeholder names (`EMAIL`, `CARD`). */
export interface Span {
  start: number;
  end: number;
  type: string;
}

export type Verdict = { kind: 'pass' } | { kind: 'redact'; spans: Span[] } | { kind: 'block'; reason: string };

/** A text, or the part of a stream that is not released yet. */
export interface Passage {
  place: Place;
  text: string;
  /** The released characters directly before `text`, at most `context_characters`; no verdict can change them. */
  before: string;
  /** The count of all characters before `text`. */
  offset: number;
  /** False while more text can follow. */
  isLast: boolean;
  /** Ends the check. */
  signal?: AbortSignal | undefined;
}

export const context_characters = 1024;

interface RuleHead {
  name: GuardrailName;
  places: readonly Place[];
  /** `tool_results`: only tool results and passages of knowledge bases. `answer`: only the text of a run's answer, at `ingress_out`. */
  reads: 'all' | 'tool_results' | 'answer';
}

/**
 * A rule without I/O. `check` takes linear time (work.test.ts); a long one calls `yieldTurn` between its parts. The spans of a verdict are in
 * order and do not overlap.
 */
export interface TextRule extends RuleHead {
  kind: 'text';
  /** `passages`: the rule can check a stream. `whole`: the rule needs the whole text, and never redacts. */
  streams: 'passages' | 'whole';
  /** The offset in `text` from which more text can still change the verdict. Text before it can be released. */
  openFrom(text: string): number;
  check(passage: Passage): Verdict | Promise<Verdict>;
}

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** The pipeline sends each request and bills it to the agent. */
export type JudgeRequest =
  /** An answer of a chat model of the catalogue, as JSON that fits `schema`. `schema` has a `name` for the wire format. */
  | {
      kind: 'chat';
      model: string;
      system: string;
      user: string;
      schema: { name: string; schema: { [key: string]: JsonValue } };
      max_tokens: number;
    }
  /** OpenAI's POST /moderations; the answer is the body of the reply. */
  | { kind: 'moderation'; model: string; input: string[] }
  /** Presidio's POST /analyze; the answer is the body of the reply. */
  | { kind: 'presidio'; address: string; text: string; language: string; entities: string[]; score_threshold: number };

export type Ask = (request: JudgeRequest) => Promise<JsonValue>;

/** A fact that the agent was given during the run. */
export interface Given {
  source: 'message' | 'tool_result' | 'passage';
  text: string;
}

/** Sentences of one text that an answer carries as remarks. */
export interface Note {
  text_index: number;
  start: number;
  end: number;
  score: number;
}

type JudgeVerdict =
  | { kind: 'pass' }
  | { kind: 'redact'; spans: Span[][] }
  | { kind: 'block'; reason: string }
  | { kind: 'annotate'; notes: Note[] };

/**
 * A rule that asks a model or another service. It gets a streamed text when it is whole. `check` throws `JudgeFailed` when the answer is
 * unusable; every error of `ask` passes through. The pipeline then blocks or passes as `on_failure` says.
 */
export interface JudgeRule extends RuleHead {
  kind: 'judge';
  on_failure: 'block' | 'pass';
  /** The spans of a redaction have one list per text. */
  check(texts: readonly string[], judged: { place: Place; given: readonly Given[] }, ask: Ask): Promise<JudgeVerdict>;
}

/** The judge answered something unusable. The message has no part of the answer. */
export class JudgeFailed extends Error {}
