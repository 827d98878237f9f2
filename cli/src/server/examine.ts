// The checks of `svc doctor`: the client's own, then the service's report about its machine.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { describeFailure } from '../failure.ts';
import { openKeychain } from '../session/keychain.ts';
import { findServer } from './server-process.ts';
import type { Session } from '../session/session.ts';

export type Finding = Answer<Endpoints['service.doctor']>[number];

export async function examineClient(session: Session): Promise<Finding[]> {
  const token = await session.token();
  const holder = findServer(session.config);
  const keychain = (await openKeychain()).available;
  return [
    ok('client', `Node ${process.versions.node}, files in ${session.config.config_directory}`),
    ok(
      'keychain',
      keychain
        ? 'sessions are kept in the keychain'
        : 'none that svc can use; use `svc login --store file` or SERVICE_API_TOKEN',
    ),
    token === undefined
      ? { part: 'session', verdict: 'warning', detail: `not signed in to ${session.server}`, fix: 'svc login' }
      : ok('session', `a token from ${token.from}`),
    ok(
      'this machine',
      holder === undefined
        ? `no service runs here (data: ${session.config.data_directory})`
        : `a service runs here: process ${holder.pid}, ${holder.url ?? 'starting'}`,
    ),
  ];
}

export async function examineService(session: Session): Promise<Finding[]> {
  try {
    await session.callWith(undefined, 'service.readyz', {}, { signal: AbortSignal.timeout(10_000) });
    if ((await session.token()) === undefined) return [ok('service', `${session.server} is ready`)];
    return [ok('service', `${session.server} is ready`), ...(await session.call('service.doctor', {}))];
  } catch (error) {
    // A refusal or a missing answer of the service is a finding here.
    const failure = describeFailure(error);
    if (failure === undefined) throw error;
    const { hint } = failure.problem;
    return [
      {
        part: 'service',
        verdict: failure.problem['code'] === 'forbidden' ? 'warning' : 'problem',
        detail: failure.sentence,
        fix: typeof hint === 'string' ? hint : null,
      },
    ];
  }
}

function ok(part: string, detail: string): Finding {
  return { part, verdict: 'ok', detail, fix: null };
}
