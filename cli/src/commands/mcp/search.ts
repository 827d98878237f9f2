import { defineCommand, required } from '../../command.ts';
import { registryFlags, registryOf } from '../../mcp/registry-flags.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { faint, line, table } from '../../view/view.ts';

export const command = defineCommand({
  words: 'mcp search',
  summary: 'Search an MCP registry for servers to import',
  needs: 'asset.create',
  examples: ['svc mcp search weather', 'svc mcp search weather --from https://registry.example.com --json'],
  arguments: { words: required('A part of the name') },
  flags: registryFlags,
  async run({ words, ...flags }, session) {
    const body = { team: await teamToOwn(session), words, ...registryOf(flags) };
    const found = await session.call('outside_registry.search', { body });
    const cells = found.servers.map(({ name, version, description }) => [name, version, description]);
    const from = flags.from === undefined ? '' : ` --from ${flags.from}`;
    return {
      data: found,
      view: [
        table(['name', 'version', 'description'], cells, `${found.registry} has no server with these words.`),
        ...(found.has_more ? [line(faint('There are more: give a longer part of the name.'))] : []),
      ],
      next:
        cells.length === 0
          ? []
          : [{ command: `svc mcp import <name>${from}`, when: 'to make one a server of your team' }],
    };
  },
});
