// Spans as an ExportTraceServiceRequest of OTLP in Protobuf, the one encoding that every collector takes. The numbers are those of the fields
// in opentelemetry/proto/trace/v1/trace.proto. OpenTelemetry's own encoder brings its three SDKs along, 19 MB.
import type { Span } from './span.ts';

type AttributeValue = string | number | boolean | readonly (string | number | boolean)[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type Resource = Attributes;

export interface Sent extends Pick<
  Span,
  'trace_id' | 'span_id' | 'parent_id' | 'name' | 'started_us' | 'ended_us' | 'status' | 'error'
> {
  kind: keyof typeof span_kinds;
  attributes: Attributes;
  events: readonly { name: string; at_us: number; attributes: Attributes }[];
}

interface Scope {
  name: string;
  version: string;
  schema_url: string;
}

const span_kinds = { internal: 1, server: 2, client: 3 } as const;
const status_codes = { ok: 1, error: 2 } as const;

/** The spans of each resource. */
export function encodeOtlp(
  resources: readonly { resource: Resource; spans: readonly Sent[] }[],
  { name, version, schema_url }: Scope,
): Buffer {
  const scope = message(1, text(1, name), text(2, version));
  return Buffer.concat(
    resources.map(({ resource, spans }) =>
      message(
        1,
        message(1, attributesOf(1, resource)),
        message(2, scope, ...spans.map((span) => message(2, spanOf(span))), text(3, schema_url)),
        text(3, schema_url),
      ),
    ),
  );
}

function spanOf(span: Sent): Buffer {
  return Buffer.concat([
    bytes(1, Buffer.from(span.trace_id, 'hex')),
    bytes(2, Buffer.from(span.span_id, 'hex')),
    ...(span.parent_id === null ? [] : [bytes(4, Buffer.from(span.parent_id, 'hex'))]),
    text(5, span.name),
    integer(6, span_kinds[span.kind]),
    fixed64(7, BigInt(span.started_us) * 1000n),
    fixed64(8, BigInt(span.ended_us) * 1000n),
    attributesOf(9, span.attributes),
    ...span.events.map(({ name, at_us, attributes }) =>
      message(11, fixed64(1, BigInt(at_us) * 1000n), text(2, name), attributesOf(3, attributes)),
    ),
    message(15, ...(span.error === null ? [] : [text(2, span.error)]), integer(3, status_codes[span.status])),
  ]);
}

function attributesOf(field: number, attributes: Attributes): Buffer {
  return Buffer.concat(
    Object.entries(attributes).map(([key, value]) => message(field, text(1, key), message(2, valueOf(value)))),
  );
}

function valueOf(value: AttributeValue): Buffer {
  if (typeof value === 'string') return text(1, value);
  if (typeof value === 'boolean') return integer(2, value ? 1 : 0);
  if (typeof value !== 'number') return message(5, ...value.map((one) => message(1, valueOf(one))));
  return Number.isSafeInteger(value) ? integer(3, value) : double(4, value);
}

// The wire types of Protobuf.
const varint_type = 0;
const fixed64_type = 1;
const length_type = 2;

function message(field: number, ...parts: readonly Buffer[]): Buffer {
  return bytes(field, Buffer.concat(parts));
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([tag(field, length_type), varint(BigInt(value.length)), value]);
}

function integer(field: number, value: number): Buffer {
  return Buffer.concat([tag(field, varint_type), varint(BigInt.asUintN(64, BigInt(value)))]);
}

function fixed64(field: number, value: bigint): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64LE(value);
  return Buffer.concat([tag(field, fixed64_type), number]);
}

function double(field: number, value: number): Buffer {
  const number = Buffer.alloc(8);
  number.writeDoubleLE(value);
  return Buffer.concat([tag(field, fixed64_type), number]);
}

function tag(field: number, type: number): Buffer {
  return varint(BigInt((field << 3) | type));
}

function varint(value: bigint): Buffer {
  const all: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) all.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...all, Number(rest)]);
}
