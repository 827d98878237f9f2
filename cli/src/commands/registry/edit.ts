import { visibilities, type AssetKind, type Visibility } from '@gantry/contract/roles.ts';
import { choice, defineCommand, required, text, type Command } from '../../command.ts';
import { describeVisibility } from '../../registry/describe-asset.ts';
import { misuse } from '../../refusal.ts';
import { changeConfig } from '../../registry/change-config.ts';
import { isPushed, kinds, type CreatedKind, type PushedKind } from '../../registry/kinds.ts';
import { readNamed, suggestAsset } from '../../registry/named.ts';
import { configFlags } from '../../registry/typed-config.ts';
import { readTags, wordFlags } from '../../registry/words.ts';
import type { Result } from '../../result.ts';
import type { Session } from '../../session/session.ts';
import { good, line } from '../../view/view.ts';

const versionParts = ['patch', 'minor', 'major'] as const;
const visibilityFlag = choice(
  'Who may read it: replaces the entries of the team and of org; needs "admin"',
  visibilities,
);

export function commandFor(kind: AssetKind): Command {
  return isPushed(kind) ? editPushed(kind) : editConfigured(kind);
}

function editConfigured(kind: CreatedKind) {
  const { example } = kinds[kind];
  return defineCommand({
    words: `registry ${kind} edit`,
    summary: 'Change its config as a new version, in your editor or from a file, or its description and tags',
    needs: 'asset.write',
    examples: [
      `svc registry ${kind} edit ${example}`,
      `svc registry ${kind} edit ${example} --file ${example}.yaml --bump minor`,
      `svc registry ${kind} edit ${example} --description "Better words" --visibility team`,
    ],
    arguments: { name: required('Its name', kind) },
    flags: {
      ...configFlags,
      bump: choice('Which part of the version to raise, default patch', versionParts),
      version: text('The new version', 'version'),
      ...wordFlags,
      visibility: visibilityFlag,
    },
    async run({ name: given, description, tags, visibility, bump, version, ...typed }, session): Promise<Result> {
      if (bump !== undefined && version !== undefined) throw misuse('Give --bump or --version, not both');
      const { name } = readNamed(kind, given);
      const params = { kind, name };
      const before = await suggestAsset(session, kind, name, () => session.call('registry.show', { params }));
      const words = {
        ...(description === undefined ? {} : { description }),
        ...(tags === undefined ? {} : { tags: readTags(tags) }),
      };
      const alone = Object.keys(words).length === 0 && visibility === undefined;
      const changed = await changeConfig(session, kind, before, { ...typed, bump, version, ask: alone });
      const seen = visibility === undefined ? undefined : await setVisibility(session, params, visibility, before);
      const hasWords = Object.keys(words).length > 0;
      if (changed === undefined && !hasWords)
        return seen ?? { data: before, view: [line(`${before.ref}@${before.latest_version ?? ''} is unchanged`)] };
      const edited = await session.call('registry.edit', { params, body: { ...words, ...changed } });
      const ref = `${edited.ref}@${edited.latest_version ?? ''}`;
      const back = `svc registry ${kind} show ${name}@${before.latest_version ?? ''} --yaml | svc registry ${kind} edit ${name} --file -`;
      return {
        data: edited,
        view: [
          ...(seen?.view ?? []),
          ...(changed === undefined ? [] : [line(good('✓ '), `${ref} exists, and new references pin it`)]),
          ...(hasWords ? [line(good('✓ '), `${edited.ref} has a new description or tags`)] : []),
        ],
        ...(changed === undefined ? {} : { undo: back }),
      };
    },
  });
}

const sources: Record<PushedKind, { file: string; push: string }> = {
  agent: { file: 'agent.yaml', push: 'svc submit' },
  orchestration: { file: 'orchestration.yaml', push: 'svc orchestration push' },
  skill: { file: 'SKILL.md', push: 'svc skill push' },
};

function editPushed(kind: PushedKind) {
  const { example } = kinds[kind];
  const { file, push } = sources[kind];
  return defineCommand({
    words: `registry ${kind} edit`,
    summary: `Change who may read it; ${file} decides everything else`,
    needs: 'permission.change',
    examples: [
      `svc registry ${kind} edit ${example} --visibility team`,
      `svc registry ${kind} edit ${example} --visibility org --json`,
    ],
    arguments: { name: required('Its name', kind) },
    flags: { visibility: visibilityFlag },
    async run({ name: given, visibility }, session): Promise<Result> {
      if (visibility === undefined)
        throw misuse('--visibility is needed', `Everything else is in ${file}: change it there, then ${push}.`);
      const { name } = readNamed(kind, given);
      const params = { kind, name };
      const before = await suggestAsset(session, kind, name, () => session.call('registry.show', { params }));
      return await setVisibility(session, params, visibility, before);
    },
  });
}

async function setVisibility(
  session: Session,
  params: { kind: AssetKind; name: string },
  visibility: Visibility,
  before: { visibility: Visibility },
): Promise<Result> {
  const asset = await session.call('registry.set_visibility', { params, body: { visibility } });
  if (asset.visibility === before.visibility)
    return { data: asset, view: [line(`${asset.ref} already has the visibility ${asset.visibility}`)] };
  return {
    data: asset,
    view: [line(good('✓ '), `${asset.ref} has the visibility ${asset.visibility}: ${describeVisibility(asset)}`)],
    undo: `svc registry ${params.kind} edit ${params.name} --visibility ${before.visibility}`,
  };
}
