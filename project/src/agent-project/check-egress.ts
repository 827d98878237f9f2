// What `deploy.egress` lacks and what it promises in vain, as notices. `agent_egress` of the organisation decides whether they matter, and a
// check of files does not know it.
import { isCovered } from '../agent-yaml/egress.ts';
import type { AgentConfig } from '../agent-yaml/config.ts';
import type { Finding, FindingCode } from '../finding.ts';
import { rawProtocol, seenDestinations, type SeenDestination } from './destinations.ts';
import type { ProjectFiles } from './files.ts';

export function checkEgress({ deploy }: AgentConfig, files: ProjectFiles): Finding[] {
  const listed = deploy?.egress;
  const seen = seenDestinations(files);
  const missing = seen.filter(
    (one): one is SeenDestination & { destination: string } =>
      one.destination !== undefined && !isListed(listed ?? [], one.destination),
  );
  const [first] = missing;
  const raw = (listed ?? []).filter((destination) => rawProtocol(destination) !== undefined);
  const drivers = raw.length > 0 ? [] : seen.filter(({ protocol }) => protocol !== undefined);
  return [
    ...(first === undefined
      ? []
      : [
          notice(first, 'egress_missing', {
            message: `The code seems to connect to ${missing.map(({ destination, because }) => `${destination} (${because})`).join(', ')}, and \`deploy.egress\` does not list it: where agents reach only listed destinations, this is refused`,
            suggestion: `In agent.yaml: deploy: {egress: ${egressLine([...(listed ?? []), ...missing.map(({ destination }) => destination)])}}`,
          }),
        ]),
    ...raw.map((destination) =>
      notice({ file: 'agent.yaml', line: 1 }, 'egress_not_http', {
        message: `\`deploy.egress\` lists ${destination}. ${whyRaw(rawProtocol(destination) ?? '')}`,
      }),
    ),
    ...drivers.slice(0, 1).map(({ protocol = '', because, ...place }) =>
      notice(place, 'egress_not_http', {
        message: `${because}: where agents reach only listed destinations, it has no way out. ${whyRaw(protocol)}`,
      }),
    ),
  ];
}

/** As a list in YAML, in one line. */
export function egressLine(destinations: readonly string[]): string {
  return `[${[...new Set(destinations)].map((destination) => JSON.stringify(destination)).join(', ')}]`;
}

function isListed(listed: readonly string[], destination: string): boolean {
  if (listed.includes(destination)) return true;
  const at = destination.lastIndexOf(':');
  return isCovered(listed, { host: destination.slice(0, at), port: Number(destination.slice(at + 1)) });
}

function whyRaw(protocol: string): string {
  return `The way out is an HTTP proxy, which clients of ${protocol} do not use: their connections do not leave the container. Reach it through a service that speaks HTTP, or ask an admin for \`agent_egress\` open`;
}

function notice(
  { file, line }: Pick<SeenDestination, 'file' | 'line'>,
  code: FindingCode,
  said: { message: string; suggestion?: string },
): Finding {
  return { code, severity: 'notice', file, line, column: 1, pointer: '', ...said };
}
