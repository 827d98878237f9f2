import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import type { Model, Upstream } from '../model.ts';

/** The answer did not begin in time. */
export class LateAnswer extends Error {}

/** The answer did not end in time. */
export class LongAnswer extends Error {}

/** What is wrong with the connection, as the end of a sentence about it. */
export function connectionProblem(cause: unknown, { timeouts }: Model, { base_url }: Upstream): string {
  const { hostname, host, protocol } = new URL(base_url);
  if (cause instanceof DestinationRefused) return refusedAddress(cause, base_url);
  if (cause instanceof LateAnswer) return `no byte of the answer came within ${timeouts.first_byte_ms / 1000} s`;
  if (cause instanceof LongAnswer) return `the answer was not complete within ${timeouts.total_ms / 1000} s`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'UND_ERR_BODY_TIMEOUT') return `its answer paused for ${timeouts.idle_ms / 1000} s`;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `${host} did not accept a connection in time`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the name ${hostname} has no address`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${addressAndPort(protocol, host)}`;
  if (certificateFault.test(code)) return `the certificate of ${host} is not trusted (${code})`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return `${host} does not answer over TLS`;
  return `the connection to ${host} failed${code === '' ? '' : ` (${code})`}`;
}

/** With the operator's remedy, where there is one. */
export function refusedAddress({ message }: DestinationRefused, base_url: string): string {
  const said = message.replace(/\.$/, '');
  const { host, protocol } = new URL(base_url);
  return said.includes('private network')
    ? `${said}; an operator can list it: svc server set OUTBOUND_PRIVATE_HOSTS+=${addressAndPort(protocol, host)}`
    : said;
}

/** The same after the first byte. */
export function brokenBy(cause: unknown, model: Model, upstream: Upstream): string {
  if (cause instanceof RangeError) return cause.message;
  const problem = connectionProblem(cause, model, upstream);
  return problem.startsWith('the connection') ? 'its answer broke off' : problem;
}

const certificateFault = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/;

function addressAndPort(protocol: string, host: string): string {
  return /:\d+$/.test(host) ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
}
