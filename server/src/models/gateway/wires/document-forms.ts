// The forms of requests and answers, for the rules that read their texts.
import type { EventForm } from '../../guardrails/guarded-events.ts';
import type { DocumentForm } from '../../guardrails/json-texts.ts';

const named = (names: string): ReadonlySet<string> => new Set(names.split(' '));

// A name of a function is no text, because its caller must find it again.
const common =
  'id type object model role name status tool_call_id call_id tool_use_id item_id response_id index finish_reason stop_reason incomplete_details ' +
  'reasoning_effort verbosity effort detail encoding_format service_tier system_fingerprint tool_choice format media_type strict phase';

export const openaiDocument: DocumentForm = {
  identifiers: named(`${common} required enum`),
  dropped: named('logprobs'),
  free: named('arguments metadata'),
};

/** The events of a format without streams. */
export const noEvents: EventForm = { document: openaiDocument, read: () => undefined };

export const anthropicDocument: DocumentForm = {
  identifiers: named(`${common} required enum cache_control ttl stop_sequence`),
  dropped: new Set(),
  free: named('input metadata'),
};

export const ollamaDocument: DocumentForm = {
  identifiers: named(`${common} required enum created_at done_reason keep_alive think tool_name`),
  // A context is the whole conversation in tokens, which no rule can read.
  dropped: named('logprobs context'),
  free: named('arguments'),
};

export const googleDocument: DocumentForm = {
  identifiers: named(
    `${common} required enum mimeType responseMimeType finishReason modality category threshold probability severity blockReason ` +
      'responseId modelVersion taskType language outcome serviceTier mediaResolution thinkingLevel responseModalities allowedFunctionNames',
  ),
  // They repeat the answer, token by token.
  dropped: named('logprobsResult'),
  free: named('args response labels'),
};
