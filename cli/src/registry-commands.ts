// `svc registry <kind> list|show|create`: the same for every kind, so each command's file only names its kind.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { visibilities } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text } from './command.ts';
import { describeAsset, listAssets } from './describe-asset.ts';
import { limitFlag, takePages } from './pages.ts';
import { misuse } from './refusal.ts';
import type { Session } from './session.ts';
import { good, line } from './view/view.ts';

export type ListedKind = 'agent' | CreatedKind;
export type CreatedKind = 'tool' | 'knowledge-base' | 'mcp-server';

const kinds = {
  agent: { plural: 'agents', example: 'greeter', first: 'svc init greeter --framework langgraph' },
  tool: { plural: 'tools', example: 'web-search', first: 'svc registry tool create web-search' },
  'knowledge-base': {
    plural: 'knowledge bases',
    example: 'handbook',
    first: 'svc registry knowledge-base create handbook',
  },
  'mcp-server': { plural: 'MCP servers', example: 'files', first: 'svc registry mcp-server create files' },
} as const satisfies Record<ListedKind, { plural: string; example: string; first: string }>;

export function listCommand(kind: ListedKind) {
  const { plural, first } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} list`,
    summary: `The ${plural} of your teams, and published ones`,
    needs: 'asset.list',
    examples: [`svc registry ${kind} list`, `svc registry ${kind} list --team ml --json`],
    arguments: {},
    flags: { limit: limitFlag },
    async run({ limit }, session) {
      const team = session.globals.team;
      const assets = await takePages(session, limit, (query) =>
        session.call('registry.list', {
          params: { kind },
          query: { ...query, ...(team === undefined ? {} : { team }) },
        }),
      );
      return {
        data: assets,
        view: [listAssets(assets, `Your ${plural} would be listed here. Make the first one: ${first}`)],
      };
    },
  });
}

export function showCommand(kind: ListedKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} show`,
    summary: 'Its versions, its config and who may do what with it',
    needs: 'asset.read',
    examples: [`svc registry ${kind} show ${example}`, `svc registry ${kind} show ${example} --json`],
    arguments: { name: required('Its name') },
    flags: {},
    async run({ name }, session) {
      const asset = await session.call('registry.show', { params: { kind, name } });
      return { data: asset, view: describeAsset(asset) };
    },
  });
}

export function createCommand(kind: CreatedKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} create`,
    summary: 'Create one that agents can refer to',
    needs: 'asset.create',
    examples: [
      `svc registry ${kind} create ${example}`,
      `svc registry ${kind} create ${example} --team ml --visibility team --config '{"url":"https://example.com"}'`,
    ],
    arguments: { name: required('Lower-case letters, digits and hyphens') },
    flags: {
      description: text('What it is', 'text'),
      visibility: choice('Who may read it; org unless told', visibilities),
      version: text('1.0.0 unless told', 'version'),
      tags: text('Words to find it by, separated by commas', 'list'),
      config: text('What it is made of, as a JSON object', 'json'),
    },
    async run({ name, description, visibility, version, tags, config }, session) {
      const asset = await session.call('registry.create', {
        params: { kind },
        body: {
          name,
          team: await teamToOwnIt(session),
          ...(description === undefined ? {} : { description }),
          ...(visibility === undefined ? {} : { visibility }),
          ...(version === undefined ? {} : { version }),
          ...(tags === undefined ? {} : { tags: tags.split(',').map((tag) => tag.trim()) }),
          ...(config === undefined ? {} : { config: readConfig(config) }),
        },
      });
      return {
        data: asset,
        view: [line(good('✓ '), `${asset.ref}@${asset.latest_version ?? ''} exists in team ${asset.team}`)],
      };
    },
  });
}

async function teamToOwnIt(session: Session): Promise<string> {
  if (session.team !== undefined) return session.team;
  const user = await session.call('auth.me', {});
  const team = user.active_team ?? user.primary_team;
  if (team === null) throw misuse('You are in no team that it could belong to', 'Name one with --team.');
  return team;
}

type JsonObject = NonNullable<Answer<Endpoints['registry.show']>['config']>;

function readConfig(given: string): Record<string, never> {
  try {
    const value = JSON.parse(given) as JsonObject; // checked by the next line
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, never>; // JSON by its origin; the service checks it again
  } catch {
    // Falls through to the one refusal for everything that is no object.
  }
  throw misuse('--config is not a JSON object', `Write it like '{"url":"https://example.com"}'.`);
}
