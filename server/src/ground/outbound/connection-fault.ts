import { DestinationRefused } from './outbound.ts';

/** What is wrong with the connection to this address, as the end of a sentence about it. */
export function connectionFault(cause: unknown, address: string): string {
  const { hostname, host, protocol } = new URL(address);
  if (cause instanceof DestinationRefused) return refusedAddress(cause, address);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `${host} did not accept a connection in time`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the name ${hostname} has no address`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${addressAndPort(protocol, host)}`;
  if (certificateFault.test(code)) return `the certificate of ${host} is not trusted (${code})`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return `${host} does not answer over TLS`;
  return `the connection to ${host} failed${code === '' ? '' : ` (${code})`}`;
}

/** With the operator's remedy, where there is one. */
export function refusedAddress({ message }: DestinationRefused, address: string): string {
  const said = message.replace(/\.$/, '');
  const { host, protocol } = new URL(address);
  return said.includes('private network')
    ? `${said}; an operator can list it: svc server set OUTBOUND_PRIVATE_HOSTS+=${addressAndPort(protocol, host)}`
    : said;
}

const certificateFault = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/;

function addressAndPort(protocol: string, host: string): string {
  return /:\d+$/.test(host) ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
}
