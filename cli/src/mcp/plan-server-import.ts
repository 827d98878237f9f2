// What an import from an MCP registry makes of an entry: one of its ways, the values that a person gives, and what people have set before.
import type { RegisteredServer, ServerWay } from '@gantry/contract/assets/outside-registry.ts';
import { compareConfig, type ComparedConfig } from '../registry/compare-config.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { mergeProgram } from './merge-program.ts';
import { mergeRemote } from './merge-remote.ts';

export interface ServerWish {
  /** Of the asset. */
  name: string;
  /** Which of the ways, from 1; undefined: the first that can be taken. */
  pick: number | undefined;
  env: Readonly<Record<string, string>>;
  /** Names: the bearer token of an address, or secret variables of a program. */
  secrets: readonly string[];
}

export interface PlannedServer extends ComparedConfig {
  name: string;
  way: ServerWay;
}

/** Nothing is changed here. */
export async function planServerImport(
  session: Session,
  found: RegisteredServer,
  { name, pick, ...given }: ServerWish,
): Promise<PlannedServer> {
  const { way, imported } = chosenWay(found, pick);
  const merge =
    imported['transport'] === 'stdio' ? mergeProgram(way, imported, given) : mergeRemote(way, imported, given);
  return { name, way, ...(await compareConfig(session, { kind: 'mcp-server', name, merge })) };
}

function chosenWay({ name, version, ways }: RegisteredServer, pick: number | undefined) {
  const way = pick === undefined ? ways.find(({ config }) => config !== null) : ways[pick - 1];
  if (way === undefined && pick !== undefined) throw misuse(`${name} has no way ${pick}`, `It has ${ways.length}.`);
  if (way !== undefined && way.config !== null) return { way, imported: way.config };
  const reasons = (way === undefined ? ways : [way]).map(({ of, reason }) => `${of}: ${reason ?? ''}`);
  const why = reasons.length === 0 ? 'its entry names no address and no package' : reasons.join('. ');
  throw new CliRefusal('not_importable', `${name} ${version} cannot become a server here: ${why}`, {
    hint: 'Write its config yourself: svc registry mcp-server create --help',
  });
}
