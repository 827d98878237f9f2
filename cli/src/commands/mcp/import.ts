import { namePattern } from '@gantry/contract/refs.ts';
import { defineCommand, required, text, texts, whole } from '../../command.ts';
import { yesFlag } from '../../input/confirm-final.ts';
import { waysView } from '../../mcp/describe-ways.ts';
import { planServerImport, type PlannedServer } from '../../mcp/plan-server-import.ts';
import { registryFlags, registryOf } from '../../mcp/registry-flags.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { printConfig } from '../../registry/typed-config.ts';
import { CliRefusal, misuse } from '../../refusal.ts';
import type { Next } from '../../result.ts';
import { fields, good, line, strong, verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'mcp import',
  summary: 'Make a server of an MCP registry one of your team',
  needs: 'asset.create',
  examples: [
    'svc mcp import io.github.example/weather --from https://registry.example.com',
    'svc mcp import io.github.example/weather --version 1.2.0 --env UNITS=metric --secret WEATHER_KEY --yes',
  ],
  arguments: { server: required('Its name in the registry, <namespace>/<name>') },
  flags: {
    ...registryFlags,
    version: text('The version in the registry; without it the newest', 'version'),
    name: text('Its name here (default: the end of its name there)', 'name'),
    pick: whole('Which of the addresses and packages of the entry, from 1', 'number', { least: 1, most: 40 }),
    env: texts('A variable of the program, repeatable', 'NAME=value'),
    secret: texts(
      'The secret with the bearer token of an address, or an optional secret of a program, repeatable',
      'name',
    ),
    yes: yesFlag,
  },
  async run({ server, version, name: given, pick, env, secret: secrets, yes, ...flags }, session) {
    const name = given ?? nameHere(server);
    const values = Object.fromEntries(env.map(variableOf));
    const team = await teamToOwn(session);
    const body = { team, server, ...(version !== undefined && { version }), ...registryOf(flags) };
    const found = await session.call('outside_registry.read', { body });
    const planned = await planServerImport(session, found, { name, pick, env: values, secrets });
    const { change, config, difference, way } = planned;
    const ref = `mcp-servers/${name}`;
    const was = fields({
      server: strong(found.name),
      version: found.version,
      registry: found.registry,
      about: found.description,
    });
    if (change === 'same') return { data: planned, view: [was, line(good('✓ '), `${ref} is as the registry has it`)] };
    const shown = change === 'new' ? [verbatim(await printConfig(config))] : difference;
    session.output.show([was, ...waysView(found.ways, way), ...shown]);
    const question = change === 'new' ? `Create ${ref} in team ${team}?` : `Change ${ref}?`;
    if (!yes && !(await session.prompt.confirm(question, '--yes')))
      throw new CliRefusal('declined', 'nothing was changed');
    const params = { kind: 'mcp-server' as const };
    const { description } = found;
    if (change === 'new')
      await session.call('registry.create', {
        params,
        body: { name, team, description: description.slice(0, 1000), config },
      });
    else
      await session.call('registry.edit', { params: { ...params, name }, body: { version: planned.version, config } });
    return {
      data: planned,
      view: [line(good('✓ '), `${ref}@${planned.version} ${change === 'new' ? 'exists' : 'has changed'}`)],
      next: nextOf(planned, team),
    };
  },
});

function nameHere(server: string): string {
  const name = server
    .slice(server.indexOf('/') + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-');
  if (namePattern.test(name)) return name;
  throw misuse(`${server} gives no name for it here`, 'Give one: --name <name>');
}

function variableOf(given: string): [string, string] {
  const at = given.indexOf('=');
  if (at < 1) throw misuse(`--env must be NAME=value, not "${given}"`);
  return [given.slice(0, at), given.slice(at + 1)];
}

function nextOf({ name, config }: PlannedServer, team: string): Next[] {
  const { secret, secrets } = config;
  const named = [secret, ...(Array.isArray(secrets) ? secrets : [])].filter((one) => typeof one === 'string');
  return [
    ...named.map((one) => ({ command: `svc secret set ${one} --team ${team}`, when: 'unless it is set' })),
    { command: `svc mcp pin ${name}`, when: 'to read what it offers, and let agents call it' },
  ];
}
