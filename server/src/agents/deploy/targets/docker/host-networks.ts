import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { mark } from '../../../../assets/docker/labels.ts';
import { gatewayOf } from '../../../../assets/docker/subnets.ts';

/**
 * This machine's addresses on the networks of an installation's agents, in all its engines. The kernel's routes have them, so a process
 * without an engine finds them. They also have a bridge without a running container.
 */
export async function agentGateways(installation_id: string): Promise<string[]> {
  const own = new RegExp(`^svc${mark({ installation_id })}[0-9a-z]{0,3}[al]$`);
  const lines = (await readRoutes()).split('\n').map((line) => line.split('\t'));
  return lines.flatMap(([bridge = '', destination = '']) =>
    own.test(bridge) ? [gatewayOf(addressOf(destination))] : [],
  );
}

async function readRoutes(): Promise<string> {
  try {
    return await readFile('/proc/net/route', 'utf8');
  } catch (error) {
    // Only Linux has it, and only there the networks are on the service's machine.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** The kernel prints the bytes of an address as one number. */
function addressOf(printed: string): string {
  const bytes = [...Buffer.from(printed, 'hex')];
  return (endianness() === 'LE' ? bytes.toReversed() : bytes).join('.');
}
