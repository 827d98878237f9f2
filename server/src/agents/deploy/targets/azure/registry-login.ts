import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../../ground/read-at-most.ts';
import { jsonIn } from '../../../../ground/json-in.ts';

/** The user name of everybody who comes with a refresh token. */
const username = '00000000-0000-0000-0000-000000000000';
const answer_ms = 10_000;
const most_bytes = 64_000;
const exchanged = z.object({ refresh_token: z.string().min(1).max(16_000) });

/**
 * Azure Container Registry gives a refresh token for a token of Azure. With it as a password, its `/oauth2/token` gives a token for the repository, as
 * the registry itself asks for one. `origin` is the registry's own address, which its config has checked: no other gets the token.
 */
export async function registryLogin(
  origin: string,
  { token, outbound }: { token: string; outbound: Pick<Outbound, 'request'> },
  signal: AbortSignal,
): Promise<{ username: string; password: string }> {
  const body = new URLSearchParams({
    grant_type: 'access_token',
    service: new URL(origin).host,
    access_token: token,
  });
  const asking = outbound.request(`${origin}/oauth2/exchange`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
    signal: AbortSignal.any([signal, AbortSignal.timeout(answer_ms)]),
  });
  const answer = await asking.catch(() => {
    signal.throwIfAborted();
    throw failed('it does not answer');
  });
  const text = (await readAtMost(answer.body, most_bytes, () => failed('its answer is too long'))).toString();
  if (answer.statusCode !== 200) throw failed(`it answers ${answer.statusCode}`);
  const found = exchanged.safeParse(jsonIn(text));
  if (!found.success) throw failed('its answer has another form');
  return { username, password: found.data.refresh_token };
}

/** No message has anything of the answer. */
const failed = (reason: string) =>
  new Problem('engine_unavailable', { detail: `The registry gives no token for the one of Azure: ${reason}.` });
