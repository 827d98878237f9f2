// Names on the wire: `agents/greeter`, `agents/greeter@1.0.0`, `team:ml`, `user:ada@example.com`. All code uses this one parser, so the
// decision and the load agree about a name.
import type { AssetKind } from './roles.ts';

const kindBySegment = {
  agents: 'agent',
  prompts: 'prompt',
  tools: 'tool',
  'memory-configs': 'memory-config',
  'rag-indexes': 'rag-index',
  'knowledge-bases': 'knowledge-base',
  kb: 'knowledge-base',
  models: 'model',
  'mcp-servers': 'mcp-server',
  mcp: 'mcp-server',
  orchestrations: 'orchestration',
  targets: 'target',
  skills: 'skill',
} as const satisfies Record<string, AssetKind>;

const segmentByKind = {
  agent: 'agents',
  prompt: 'prompts',
  tool: 'tools',
  'memory-config': 'memory-configs',
  'rag-index': 'rag-indexes',
  'knowledge-base': 'knowledge-bases',
  model: 'models',
  'mcp-server': 'mcp-servers',
  orchestration: 'orchestrations',
  target: 'targets',
  skill: 'skills',
} as const satisfies Record<AssetKind, string>;

/** Names of assets and teams: a DNS label, valid in a path, a host name and a container name alike. */
export const namePattern = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const versionPattern = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

export interface AssetRef {
  kind: AssetKind;
  name: string;
}

export interface VersionRef extends AssetRef {
  version: string;
}

const named = ['team', 'group', 'principal', 'agent', 'orchestration'] as const;
export type PrincipalRef = { kind: 'user' | (typeof named)[number]; name: string };

/** `agents/greeter` → its kind and name; undefined for any other text. */
export function parseRef(text: string): AssetRef | undefined {
  const slash = text.indexOf('/');
  const segment = text.slice(0, slash);
  const name = text.slice(slash + 1);
  if (slash < 0 || !Object.hasOwn(kindBySegment, segment) || !namePattern.test(name)) return undefined;
  return { kind: kindBySegment[segment as keyof typeof kindBySegment], name }; // hasOwn just proved the key
}

export function printRef(ref: AssetRef): string {
  return `${segmentByKind[ref.kind]}/${ref.name}`;
}

/** `agents/greeter@1.0.0` → its parts; undefined without a version. */
export function parseVersionRef(text: string): VersionRef | undefined {
  const at = text.lastIndexOf('@');
  const ref = at < 0 ? undefined : parseRef(text.slice(0, at));
  const version = text.slice(at + 1);
  if (ref === undefined || !versionPattern.test(version)) return undefined;
  return { ...ref, version };
}

/** A label of a prompt. It begins with a letter, so it is no version; `latest` is the newest version. */
export const isLabel = (text: string): boolean => namePattern.test(text) && text !== 'latest';

export interface LabelRef extends AssetRef {
  label: string;
}

/** `prompts/greeting@production` → its parts. Only prompts have labels. */
export function parseLabelRef(text: string): LabelRef | undefined {
  const at = text.lastIndexOf('@');
  const ref = at < 0 ? undefined : parseRef(text.slice(0, at));
  const label = text.slice(at + 1);
  return ref?.kind === 'prompt' && isLabel(label) ? { ...ref, label } : undefined;
}

/** `agents/greeter@1.0.0`, `prompts/greeting@production` or `agents/greeter` → kind and name; undefined for any other text. */
export function parseAnyRef(text: string): AssetRef | undefined {
  return parseVersionRef(text) ?? parseLabelRef(text) ?? parseRef(text);
}

export function printVersionRef(ref: VersionRef): string {
  return `${printRef(ref)}@${ref.version}`;
}

/** `team:ml`, `user:ada@example.com`, `group:oncall`, `principal:ci`, `orchestration:report`; undefined for anything else. */
export function parsePrincipal(text: string): PrincipalRef | undefined {
  const colon = text.indexOf(':');
  const kind = text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (kind === 'user') return isEmail(name) ? { kind, name: name.toLowerCase() } : undefined;
  const found = named.find((one) => one === kind);
  return found !== undefined && namePattern.test(name) ? { kind: found, name } : undefined;
}

export function printPrincipal(ref: PrincipalRef): string {
  return `${ref.kind}:${ref.name}`;
}

/** The principal of an ACL entry as text: `team:ml`, or `org`. */
export function printGrantee(grantee: { principal_type: string; principal_id: string | null }): string {
  return grantee.principal_id === null ? grantee.principal_type : `${grantee.principal_type}:${grantee.principal_id}`;
}

// No quotes, comments, commas, colons or control characters: an address goes unescaped into mail headers and log lines.
const emailPattern = /^[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9](?:[a-z0-9.-]{0,251})[a-z0-9]$/i;

export function isEmail(text: string): boolean {
  return text.length <= 254 && emailPattern.test(text) && !text.includes('..');
}
