// The package of a hosted MCP server: one exact version from a package index, `pypi:<name>==<version>` or `npm:<name>@<version>`. A range
// would let somebody else choose what runs after a person has read it.

export interface HostedPackage {
  index: 'pypi' | 'npm';
  name: string;
  version: string;
}

export const hostedPackageRule =
  'must be one exact version, such as pypi:mcp-server-time==2026.10.19 or npm:@modelcontextprotocol/server-memory@2026.7.4';

/** Undefined for a text in another form. */
export function parseHostedPackage(text: string): HostedPackage | undefined {
  if (text.length > longest) return undefined;
  return parsed('pypi', pypi.exec(text)) ?? parsed('npm', npm.exec(text));
}

export function printHostedPackage({ index, name, version }: HostedPackage): string {
  return index === 'pypi' ? `pypi:${name}==${version}` : `npm:${name}@${version}`;
}

function parsed(index: HostedPackage['index'], found: RegExpExecArray | null): HostedPackage | undefined {
  const [, name, version] = found ?? [];
  return name === undefined || version === undefined ? undefined : { index, name, version };
}

const longest = 300;
const pypi = /^pypi:([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([0-9][A-Za-z0-9.!+]*)$/;
const npm =
  /^npm:((?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*)@([0-9]+\.[0-9]+\.[0-9]+(?:[-+][A-Za-z0-9.+-]+)?)$/;
