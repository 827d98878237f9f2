// The spans of an agent's own code. Promises: only the run token decides which agent and run a span belongs to. A span joins no other
// trace than its run's. Hidden content is not stored. Spans that are not taken are counted, and the sender never repeats them.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HiddenContent } from '@gantry/project/agent-yaml/tracing.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { KeyCaller } from '../../governance/access/caller.ts';
import { parseJson } from '../../governance/http/request/body.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import { runOfKey } from '../keys/calls/read-run.ts';
import type { RunClaims } from '../../ground/run-token.ts';
import { spansOf } from '../traces/normalise.ts';
import type { Span } from '../traces/span.ts';
import type { LossReason } from '../traces/spans.ts';
import type { GatewayParts } from './parts.ts';

/** Unpacked. The container sends batches of about one megabyte. */
const max_bytes = 4 * 1024 * 1024;
/** The rate of one revision; a burst is ten seconds' worth. */
const spans_per_second = 200;
const max_burst = 10 * spans_per_second;
const max_known = 10_000;

const unpack = promisify(gunzip);

const attribute = z.object({ key: z.string(), value: z.unknown() });
const exportRequest = z.object({
  resourceSpans: z
    .array(z.looseObject({ resource: z.object({ attributes: z.array(attribute).default([]) }).optional() }))
    .default([]),
});
type ResourceSpans = z.output<typeof exportRequest>['resourceSpans'][number];

interface Sent {
  body: Uint8Array;
  headers: RequestHeaders;
}

export function openReceiver({ spans, run_key }: Pick<GatewayParts, 'spans' | 'run_key'>) {
  const rates = new LRUCache<string, { left: number; at_ms: number }>({ max: max_known });

  return async (caller: KeyCaller, sent: Sent) => {
    const read = exportRequest.safeParse(parseJson(await unpacked(sent)));
    if (!read.success) throw new Problem('malformed', { detail: 'The body is no ExportTraceServiceRequest of OTLP.' });
    let rejected = 0;
    const lose = (reason: LossReason, count: number) => {
      if (count === 0) return;
      rejected += count;
      spans.lose(reason, count);
    };
    for (const resource of read.data.resourceSpans) {
      const claims = runOfKey(run_key, caller, text(resource, 'svc.run'));
      const { of_run, others, malformed } = readSpans(resource, caller, claims);
      const taken = of_run.slice(0, allowance(caller.id, of_run.length));
      spans.add(taken);
      lose('too_many', of_run.length - taken.length);
      lose('no_run', others);
      lose('malformed', malformed);
    }
    // Told once by each request, so the first resource has it.
    const dropped = Number(text(read.data.resourceSpans[0], 'svc.dropped_spans') ?? 0);
    if (Number.isSafeInteger(dropped) && dropped > 0) spans.lose('not_sent', Math.min(dropped, max_told));
    if (rejected === 0) return {};
    return { partialSuccess: { rejectedSpans: String(rejected), errorMessage: 'of no run of this key, or too many' } };
  };

  function allowance(key_id: string, wanted: number): number {
    const now_ms = performance.now();
    const known = rates.get(key_id) ?? { left: max_burst, at_ms: now_ms };
    const left = Math.min(max_burst, known.left + ((now_ms - known.at_ms) / 1000) * spans_per_second);
    const given = Math.min(Math.floor(left), wanted);
    rates.set(key_id, { left: left - given, at_ms: now_ms });
    return given;
  }
}

/** An agent counts its own lost spans, so the number is no more than a hint. */
const max_told = 100_000;

async function unpacked({ body, headers }: Sent): Promise<Uint8Array> {
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding !== 'gzip' && coding !== 'identity')
    throw new Problem('unsupported_media_type', { detail: 'Send the body as it is, or with gzip.' });
  const bytes = coding === 'identity' ? body : await gunzipped(body);
  if (bytes.length > max_bytes) throw tooLarge();
  return bytes;
}

async function gunzipped(body: Uint8Array): Promise<Uint8Array> {
  try {
    return await unpack(body, { maxOutputLength: max_bytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new Problem('malformed', { detail: 'The body is not gzip.' });
  }
}

const tooLarge = () =>
  new Problem('too_large', { detail: `The spans are larger than ${max_bytes / 1024 ** 2} MB, unpacked.` });

function readSpans(
  resource: ResourceSpans,
  caller: KeyCaller,
  claims: RunClaims | undefined,
): { of_run: Span[]; others: number; malformed: number } {
  const owner = {
    agent_id: claims?.agent_id ?? null,
    revision_id: claims?.revision_id ?? null,
    run_id: claims?.run_id ?? null,
    team_id: caller.team_id,
    caller_id: claims?.caller_id ?? null,
  };
  const { spans, rejected: malformed } = spansOf({ resourceSpans: [resource] }, owner);
  const of_run = spans.filter(({ trace_id }) => trace_id === claims?.trace_id);
  return {
    of_run: of_run.map((span) => withoutHidden(span, claims?.hidden)),
    others: spans.length - of_run.length,
    malformed,
  };
}

function withoutHidden(span: Span, hidden: HiddenContent = { inputs: true, outputs: true }): Span {
  // The message of a failure can repeat the input.
  const hidesOutput = hidden.outputs || (hidden.inputs && span.status === 'error');
  return { ...span, input: hidden.inputs ? null : span.input, output: hidesOutput ? null : span.output };
}

function text(resource: ResourceSpans | undefined, name: string): string | undefined {
  const value = resource?.resource?.attributes.find(({ key }) => key === name)?.value;
  const read = z
    .object({ stringValue: z.string() })
    .or(z.object({ intValue: z.string() }))
    .safeParse(value);
  return read.success ? Object.values(read.data)[0] : undefined;
}
