// A call of an `http` tool by the service, with the secret of the tool's team, which no agent sees. Must never happen: a followed redirect, an answer that
// fills the memory, or a part of an answer that `returns` does not name.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import { readAtMost } from '../../../ground/read-at-most.ts';
import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import { hideCredential } from '../../../models/gateway/upstream/hide-credential.ts';
import type { ToolParts } from '../parts.ts';
import { teamSecret } from '../upstream/credential.ts';
import type { Upstream } from '../upstream/connect.ts';
import { buildRequest, type HttpTool } from './build-request.ts';
import { cutAnswer } from './cut-answer.ts';
import { jsonIn } from '../../../ground/json-in.ts';

interface AddressCall {
  tool: HttpTool;
  upstream: Upstream;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  limits: { tool_result_kb: number; tool_call_seconds: number };
  onSent: () => void;
}

const usual_seconds = 30;
/** Before it is cut. */
const most_bytes = 4 * 1024 * 1024;

/** Throws `arguments_refused` or `server_unavailable`. */
export async function callAddress(parts: ToolParts, call: AddressCall): Promise<CallToolResult> {
  const { tool, upstream, limits, signal } = call;
  const { url, method, headers, body } = buildRequest(tool, call.arguments);
  const credential = await credentialOf(parts, upstream, tool);
  const seconds = Math.min(tool.timeout_seconds ?? usual_seconds, limits.tool_call_seconds);
  const ending = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  let answer;
  try {
    const asking = parts.outbound.request(url, {
      method,
      headers: { ...headers, ...credential.headers },
      body,
      signal: ending,
      headersTimeout: seconds * 1000,
      bodyTimeout: seconds * 1000,
    });
    const { statusCode, headers: given, body: sent } = await asking;
    call.onSent();
    answer = {
      status: statusCode,
      type: String(given['content-type'] ?? ''),
      text: (await readAtMost(sent, most_bytes, tooMuch)).toString(),
    };
  } catch (error) {
    if (!parts.outbound.isUnsent(error)) call.onSent();
    throw unavailable(upstream, ending.aborted && !signal.aborted ? `it took more than ${seconds} s` : reasonOf(error));
  }
  return resultOf(call, { ...answer, text: hideCredential(answer.text, credential.value) });
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

function resultOf({ tool, upstream, limits }: AddressCall, { status, type, text }: Answer): CallToolResult {
  if (status >= 300 && status < 400)
    throw unavailable(upstream, `it answers ${status}, which leads elsewhere, and the service follows nobody`);
  const isError = status >= 400;
  const shown = text === '' ? '' : answerText(tool, upstream, { type, text, isError });
  if (Buffer.byteLength(shown) > limits.tool_result_kb * 1024)
    throw unavailable(upstream, `its answer has more than ${limits.tool_result_kb} kB`);
  const content = isError ? [`The address answers ${status}.`, shown].filter((part) => part !== '').join('\n') : shown;
  return { content: [{ type: 'text', text: content }], ...(isError && { isError }) };
}

/** Of an answer that is not JSON, `returns` can name the whole alone. The text of a failure is cut too: it may repeat what is private. */
function answerText(
  { returns }: HttpTool,
  upstream: Upstream,
  { type, text, isError }: { type: string; text: string; isError: boolean },
): string {
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    const value = jsonIn(text);
    if (value === undefined && !isError) throw unavailable(upstream, 'its answer is no JSON, and says that it is');
    if (value === undefined) return '';
    return JSON.stringify(returns === undefined ? value : cutAnswer(value, returns));
  }
  const isWanted = returns === undefined ? /^(?:text\/|application\/xml\b|$)/i.test(type) : returns.type === 'string';
  if (isWanted) return text;
  if (isError) return '';
  throw unavailable(
    upstream,
    `it answers ${type.slice(0, 100) || 'without a type'}, and the tool returns something else`,
  );
}

async function credentialOf(
  parts: ToolParts,
  upstream: Upstream,
  { secret, secret_header }: HttpTool,
): Promise<{ headers: Record<string, string>; value?: string }> {
  if (secret === undefined) return { headers: {} };
  const value = await teamSecret(parts, upstream, secret);
  const [header, sent] = secret_header === undefined ? ['authorization', `Bearer ${value}`] : [secret_header, value];
  return { headers: { [header.toLowerCase()]: sent }, value };
}

const tooMuch = () => new Error(`the answer has more than ${most_bytes} bytes`);

/** Without the address: a part of it can be an argument. */
function unavailable({ ref }: Upstream, reason: string): Problem {
  return new Problem('server_unavailable', { detail: `${ref} does not work: ${reason}.` });
}

const longest_reason = 300;

/** One line: the other side can have written it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  const cause = [error, error.cause].find((one) => one instanceof DestinationRefused) ?? error;
  return cause.message
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .slice(0, longest_reason)
    .replace(/\.$/, '');
}
