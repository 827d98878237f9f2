// An upstream's refusal, for the client. It never shows the service's credential, nor that the service's own account is refused as if it were
// the client's.
import { Problem } from '@gantry/contract/problems.ts';
import { within } from '../../../ground/within.ts';
import { AttemptFailed, unavailable } from './attempt-failed.ts';
import { hideKeys } from './hide-credential.ts';
import type { Model, Upstream } from '../model.ts';
import type { Body, UpstreamAnswer } from './upstream.ts';
import { isJson, listOf, type Json } from '../wires/wire.ts';

const max_refusal_bytes = 64 * 1024;
const refusal_ms = 5000;
const max_message_characters = 2000;

/** The failure behind an answer with another status than 2xx. Ends its body. */
export async function refusalOf(model: Model, upstream: Upstream, answer: UpstreamAnswer): Promise<AttemptFailed> {
  const { retry_after_seconds, body } = answer;
  const { message, reason, ...shown } = await saidIn(body, upstream.credential);
  // Google answers 400 for a key that it does not know.
  const status = answer.status === 400 && reason === 'API_KEY_INVALID' ? 401 : answer.status;
  const said = message === undefined ? '' : `: ${message}`;
  const more = retry_after_seconds === undefined ? {} : { retry_after_seconds };
  const failed = (kind: 'failed' | 'busy' | 'refused', problem: Problem) =>
    new AttemptFailed(problem, { kind, status, ...more });
  const by = `${model.provider} answered ${status}`;
  // No provider bills a call that it answers with an error of its own. The page of a proxy says nothing about the provider, which can have worked.
  if (status >= 500)
    return new AttemptFailed(unavailable(model, `${by}${said}`), {
      kind: 'failed',
      status,
      ...more,
      ...(message !== undefined && { isBilled: false }),
    });
  if (status < 400) return failed('refused', unavailable(model, `${by}, and no redirect is followed`));
  if (status === 401 || status === 402 || status === 403)
    return failed(
      'refused',
      unavailable(model, `${model.provider} refused the service's own credential with ${status}`),
    );
  const isBusy = status === 408 || status === 409 || status === 429;
  return failed(
    isBusy ? 'busy' : 'refused',
    new Problem(status === 429 ? 'rate_limit_exceeded' : 'model_refused', {
      detail: `${model.provider} refused the call with ${status}${said}`,
      // Clients match the vendor's own status, type, code and parameter.
      fields: { ...shown, provider: model.provider, upstream_status: status },
      ...more,
    }),
  );
}

type Said = Partial<Record<(typeof members)[number] | 'reason', string>>;

const members = ['message', 'type', 'code', 'param'] as const;

/** What the vendors' forms of an error have, as text without a credential. */
async function saidIn(body: Body, credential: string | undefined): Promise<Said> {
  const text = await within(refusal_ms, start(body)).catch(() => undefined); // the status says enough
  body.destroy();
  try {
    const said: unknown = JSON.parse(text ?? '');
    const error = isJson(said) ? (isJson(said['error']) ? said['error'] : said) : {};
    const given = members.flatMap((name): [string, string][] => {
      const value = error[name];
      if (typeof value !== 'string' || value === '') return [];
      return [[name, hideKeys(value, credential).slice(0, max_message_characters)]];
    });
    return { ...Object.fromEntries(given), reason: reasonIn(error) };
  } catch {
    return {}; // a page of a proxy, for example
  }
}

/** The reason in one of Google's errors (google.rpc.ErrorInfo). */
function reasonIn({ details }: Json): string | undefined {
  const info = listOf(details).find((one) => isJson(one) && typeof one['reason'] === 'string');
  return isJson(info) ? String(info['reason']) : undefined;
}

async function start(body: Body): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > max_refusal_bytes) break;
  }
  return Buffer.concat(chunks).toString();
}
