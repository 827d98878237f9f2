import { defineCommand, required, text, texts } from '../../command.ts';
import { yesFlag } from '../../input/confirm-final.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { CliRefusal, misuse } from '../../refusal.ts';
import type { Session } from '../../session/session.ts';
import type { PlannedTool } from '../../tool/plan-import.ts';
import { readOpenApi } from '../../tool/read-openapi.ts';
import { faint, good, line, table, type View } from '../../view/view.ts';

export const command = defineCommand({
  words: 'tool import',
  summary: 'Make tools of operations of an OpenAPI document, or list its operations',
  needs: 'asset.create',
  examples: [
    'svc tool import petstore.yaml',
    'svc tool import https://pets.example.com/openapi.json --operation findPet --operation addPet --secret PETS_KEY',
    'svc tool import petstore.yaml --operation findPet --name-prefix pets- --yes',
  ],
  arguments: { document: required('OpenAPI 3.0 or 3.1, JSON or YAML: a file, - for stdin, or an address') },
  flags: {
    operation: texts('The operationId to import, repeatable; without one they are listed', 'id'),
    namePrefix: text('In front of the names of the tools', 'prefix'),
    secret: text('The secret of the team that is sent as a bearer token', 'name'),
    secretHeader: text('The header that has the secret instead, such as X-API-Key', 'name'),
    at: text('The address of the operations, in place of the servers of the document', 'address'),
    yes: yesFlag,
  },
  async run({ document: given, operation: wanted, yes, at: server, secret, ...flags }, session) {
    const { readDocument, OpenApiFault } = await import('@gantry/project/openapi/document.ts');
    const { operationsOf } = await import('@gantry/project/openapi/operations.ts');
    const { text: written, url: document_url } = await readOpenApi(given);
    const { document, operations } = (() => {
      try {
        const read = readDocument(written);
        return { document: read, operations: operationsOf(read) };
      } catch (error) {
        if (!(error instanceof OpenApiFault)) throw error;
        throw new CliRefusal('document_unreadable', `${given}: ${error.message}`);
      }
    })();
    if (wanted.length === 0) {
      const listed = operations.map(({ id, method, path, summary, isDeprecated }) => {
        return { id, method, path, summary, deprecated: isDeprecated };
      });
      const cells = listed.map(({ id, method, path, summary, deprecated }) => [
        id,
        `${method} ${path}`,
        deprecated ? `deprecated: ${summary}` : summary,
      ]);
      return {
        data: listed,
        view: [table(['operation', 'request', 'summary'], cells, 'The document has no operations.')],
        next: [{ command: `svc tool import ${given} --operation <id>`, when: 'to make a tool of one' }],
      };
    }
    const chosen = wanted.map((id) => {
      const found = operations.find((one) => one.id === id);
      if (found === undefined) throw misuse(`${given} has no operation ${id}`, `List them: svc tool import ${given}`);
      return found;
    });
    const { planImport } = await import('../../tool/plan-import.ts');
    const planned = await planImport(session, {
      document,
      operations: chosen,
      prefix: flags.namePrefix ?? '',
      secret,
      secret_header: flags.secretHeader,
      server,
      document_url,
    });
    await confirmChanges(session, planned, yes);
    const team = await teamToOwn(session);
    for (const one of planned) await store(session, team, one);
    return {
      data: planned.map(({ difference: _, ...one }) => one),
      view: planned.flatMap(viewOf),
      next: [{ command: 'svc submit', when: 'for an agent whose agent.yaml names them under `tools`' }],
    };
  },
});

/** Agents that are pushed again get the new texts and the new address, so a person reads them first. */
async function confirmChanges(session: Session, planned: readonly PlannedTool[], yes: boolean): Promise<void> {
  const changed = planned.filter(({ change }) => change === 'changed');
  if (changed.length === 0) return;
  session.output.show(changed.flatMap(({ difference }) => difference));
  if (yes || (await session.prompt.confirm(`Change ${changed.map(({ name }) => name).join(', ')}?`, '--yes'))) return;
  throw new CliRefusal('declined', 'nothing was changed');
}

async function store(session: Session, team: string, { name, change, config, version }: PlannedTool): Promise<void> {
  const kind = 'tool';
  if (change === 'new') await session.call('registry.create', { params: { kind }, body: { name, team, config } });
  if (change === 'changed') await session.call('registry.edit', { params: { kind, name }, body: { version, config } });
}

function viewOf({ name, version, change, url, left_out }: PlannedTool): View {
  const does = { new: 'exists', changed: 'has changed', same: 'is as the document has it' }[change];
  const ref = change === 'same' ? `tools/${name}` : `tools/${name}@${version}`;
  return [
    line(good('✓ '), `${ref} ${does}: `, faint(url)),
    ...left_out.map((sentence) => line(faint(`  left out: ${sentence}`))),
  ];
}
