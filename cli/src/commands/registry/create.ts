import { visibilities } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text } from '../../command.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { kinds, type CreatedKind } from '../../registry/kinds.ts';
import { configFlags, readTypedConfig } from '../../registry/typed-config.ts';
import { readTags, wordFlags } from '../../registry/words.ts';
import { good, line } from '../../view/view.ts';

export function commandFor(kind: CreatedKind) {
  const { example, first } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} create`,
    summary: 'Create one in your active team',
    needs: 'asset.create',
    examples: [first, `svc registry ${kind} create ${example} --team ml --visibility team --file ${example}.yaml`],
    arguments: { name: required('Lower-case letters, digits and hyphens') },
    flags: {
      ...configFlags,
      ...wordFlags,
      visibility: choice('Who may read it, default org', visibilities),
      version: text('The version (default 1.0.0)', 'version'),
      owner: text('Its owner (default: yourself)', 'e-mail'),
    },
    async run({ name, description, visibility, version, tags, owner, ...typed }, session) {
      const config = (await readTypedConfig(kind, typed))?.config;
      const asset = await session.call('registry.create', {
        params: { kind },
        body: {
          name,
          team: await teamToOwn(session),
          ...(description === undefined ? {} : { description }),
          ...(visibility === undefined ? {} : { visibility }),
          ...(version === undefined ? {} : { version }),
          ...(owner === undefined ? {} : { owner }),
          ...(tags === undefined ? {} : { tags: readTags(tags) }),
          ...(config === undefined ? {} : { config }),
        },
      });
      return {
        data: asset,
        view: [line(good('✓ '), `${asset.ref}@${asset.latest_version ?? ''} exists in team ${asset.team}`)],
        undo: `svc registry ${kind} delete ${name}`,
      };
    },
  });
}
