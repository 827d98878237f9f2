import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required, text } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} transfer`,
    summary: 'Transfer it to another team (--team) or owner; manual grants stay',
    needs: 'asset.transfer',
    examples: [
      `svc registry ${kind} transfer ${example} --owner ada@example.com`,
      `svc registry ${kind} transfer ${example} --team ops --owner otto@example.com`,
    ],
    arguments: { name: required('Its name', kind) },
    flags: { owner: text('An active member of the team (default: its present owner)', 'e-mail') },
    async run({ name: given, owner: address }, session) {
      const { name } = readNamed(kind, given);
      const team = session.globals.team;
      const owner = address?.replace(/^user:/, '');
      if (team === undefined && owner === undefined)
        throw misuse('A team or an owner is needed', 'Name one or both: --team ops --owner otto@example.com');
      const body = { ...(team === undefined ? {} : { team }), ...(owner === undefined ? {} : { owner }) };
      const params = { kind, name };
      const before = await suggestAsset(session, kind, name, () => session.call('registry.show', { params }));
      const asset = await session.call('registry.transfer', { params, body });
      const back = [
        ...(asset.team === before.team ? [] : [`--team ${before.team}`]),
        ...(asset.owner === before.owner ? [] : [`--owner ${before.owner}`]),
      ];
      if (back.length === 0)
        return {
          data: asset,
          view: [line(`${asset.ref} already belongs to ${asset.owner} in team ${asset.team}`)],
          next: [],
        };
      return {
        data: asset,
        view: [line(good('✓ '), `${asset.ref} belongs to ${asset.owner} in team ${asset.team}`)],
        undo: `svc registry ${kind} transfer ${name} ${back.join(' ')}`,
        ...(kind === 'agent'
          ? {
              next: [
                { command: 'svc submit', when: `in its folder, with team: ${asset.team} and owner: ${asset.owner}` },
                ...(asset.team === before.team
                  ? []
                  : [
                      {
                        command: `svc restart ${name}`,
                        when: 'while it runs, for a key to models that its new team pays',
                      },
                    ]),
              ],
            }
          : {}),
      };
    },
  });
}
