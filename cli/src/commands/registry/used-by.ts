import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required } from '../../command.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import { faint, line } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} used-by`,
    summary: 'The assets that refer to it, or call it by name: in their serving version, or in their present config',
    needs: 'asset.read',
    examples: [`svc registry ${kind} used-by ${example}`, `svc registry ${kind} used-by ${example} --json`],
    arguments: { name: required('Its name', kind) },
    flags: {},
    async run({ name: given }, session) {
      const { name } = readNamed(kind, given);
      const users = await suggestAsset(session, kind, name, () =>
        session.call('registry.used_by', { params: { kind, name } }),
      );
      const { assets, settings, hidden } = users;
      return {
        data: users,
        view: [
          ...assets.map((asset) => line(asset)),
          ...settings.map((setting) => line(`the setting ${setting} of the organisation`)),
          ...(hidden === 0 ? [] : [line(faint(`and ${hidden} that you may not read`))]),
          ...(assets.length + settings.length + hidden === 0 ? [line(`Nothing uses ${name}.`)] : []),
        ],
      };
    },
  });
}
