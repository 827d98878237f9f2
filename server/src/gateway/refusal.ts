// An upstream's refusal, for the client. It never shows the service's credential, nor that the service's own account is refused as if it were
// the client's.
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Model } from './model.ts';
import { AttemptFailed, unavailable, type UpstreamAnswer } from './upstream.ts';
import { isJson } from './wires/wire.ts';

const max_refusal_bytes = 64 * 1024;
const max_message_characters = 2000;

export async function refusalOf(
  model: Model,
  answer: UpstreamAnswer,
  credential: string | undefined,
): Promise<AttemptFailed> {
  const { status, retry_after } = answer;
  const said = scrub(await messageOf(answer), credential);
  const more = retry_after === undefined ? {} : { retry_after_seconds: Number(retry_after) };
  // Whoever answers with 5xx may have worked before.
  if (status >= 500)
    return new AttemptFailed(unavailable(model, `${model.provider} answered ${status}${said}`), { can_cost: true });
  if (status === 401 || status === 402 || status === 403)
    return new AttemptFailed(
      unavailable(model, `${model.provider} refused the service's own credential with ${status}`),
      { can_cost: false },
    );
  const code: ProblemCode =
    status === 429 ? 'rate_limit_exceeded' : status === 408 || status === 409 ? 'model_unavailable' : 'model_refused';
  return new AttemptFailed(
    new Problem(code, { detail: `${model.provider} refused the call with ${status}${said}`, ...more }),
    { can_cost: false },
  );
}

async function messageOf({ body }: UpstreamAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > max_refusal_bytes) break;
    }
  } catch {
    return ''; // the status says enough
  }
  try {
    const said: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const error = isJson(said) ? (isJson(said['error']) ? said['error'] : said) : {};
    return typeof error['message'] === 'string' ? error['message'] : '';
  } catch {
    return ''; // a page of a proxy, for example
  }
}

function scrub(message: string, credential: string | undefined): string {
  if (message === '') return '';
  const clean = credential === undefined ? message : message.replaceAll(credential, '…');
  // Vendors print the beginning and the end of a key that they refuse.
  return `: ${clean.replace(/\b(?:sk|gsk|xai|key|pk)[-_][\w*.-]{6,}/gi, '…').slice(0, max_message_characters)}`;
}
