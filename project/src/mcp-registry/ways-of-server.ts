// What a server of an MCP registry becomes here: a config for each remote address and each package, or the reason why it cannot be one. Nothing is guessed:
// what the service cannot do as the entry says it is a reason. Pure.
import type { ServerWay } from '@gantry/contract/assets/outside-registry.ts';
import { parseAssetConfig } from '../asset-config.ts';
import { hasErrors } from '../finding.ts';
import { NotTaken, type FoundWay } from './found-way.ts';
import type { ServerJson } from './server-json.ts';
import { wayOfPackage } from './way-of-package.ts';
import { wayOfRemote } from './way-of-remote.ts';

/** Remote addresses first. */
export function waysOfServer(server: ServerJson): ServerWay[] {
  const { remotes, packages } = server;
  return [
    ...(remotes ?? []).map((remote) => taken(remote.url, () => wayOfRemote(server, remote))),
    ...(packages ?? []).map((one) => taken(`${one.registryType}:${one.identifier}`, () => wayOfPackage(one))),
  ];
}

function taken(of: string, read: () => FoundWay): ServerWay {
  try {
    const way = read();
    const { findings } = parseAssetConfig('mcp-server', JSON.stringify(way.config), 'the entry');
    const [fault] = findings;
    if (fault !== undefined && hasErrors(findings)) throw new NotTaken(`\`${fault.pointer}\` ${fault.message}`);
    return { ...way, reason: null };
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    return { of, config: null, reason: error.message, variables: [], left_out: [] };
  }
}
