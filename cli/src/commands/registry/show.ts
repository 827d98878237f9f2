import type { AssetKind } from '@gantry/contract/roles.ts';
import { defineCommand, required, toggle } from '../../command.ts';
import { describeAsset, describeVersion } from '../../registry/describe-asset.ts';
import { kinds } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import { printConfig, schemaLine } from '../../registry/typed-config.ts';
import type { Result } from '../../result.ts';
import { verbatim } from '../../view/view.ts';

export function commandFor(kind: AssetKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} show`,
    summary: 'Its versions, its config and its access-control entries; with @<version>, that version',
    needs: 'asset.read',
    examples: [
      `svc registry ${kind} show ${example}`,
      `svc registry ${kind} show ${example}@1.0.0 --json`,
      `svc registry ${kind} show ${example} --yaml`,
    ],
    arguments: { name: required('Its name, or <name>@<version>', kind) },
    flags: { yaml: toggle('Only the config, as YAML') },
    async run({ name: given, yaml }, session): Promise<Result> {
      const { name, version } = readNamed(kind, given);
      const data = await suggestAsset(session, kind, name, async () =>
        version === undefined
          ? await session.call('registry.show', { params: { kind, name } })
          : await session.call('registry.show_version', { params: { kind, name, version } }),
      );
      const config = data.config === null ? '' : await printConfig(data.config);
      if (yaml) return { data: data.config, view: [verbatim((schemaLine(session.server, kind) + config).trimEnd())] };
      return { data, view: 'versions' in data ? describeAsset(data, config) : describeVersion(data, config) };
    },
  });
}
