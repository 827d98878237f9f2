import type { Asset, AssetVersionDetail } from '@gantry/contract/assets/registry.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import {
  faint,
  fields,
  good,
  line,
  prose,
  shortDigest,
  state,
  table,
  time,
  verbatim,
  type Block,
  type View,
} from '../view/view.ts';

type AssetDetail = Answer<Endpoints['registry.show']>;

export function listAssets(assets: readonly Asset[], empty: string): Block {
  return table(
    ['asset', 'latest', 'serving', 'team', 'owner', prose('description')],
    assets.map((asset) => [
      asset.ref,
      asset.latest_version,
      asset.serving_version === null ? null : good(asset.serving_version),
      asset.team,
      asset.owner,
      asset.description,
    ]),
    empty,
  );
}

export function listVersions(versions: AssetDetail['versions']): Block {
  return table(
    ['version', 'state', 'approved', 'by', 'pushed', 'digest', prose('message')],
    versions.map((version) => [
      version.version,
      state(version.state),
      version.approved ? good('yes') : 'no',
      version.pushed_by,
      time(version.created_at),
      shortDigest(version.digest),
      version.message,
    ]),
    'No versions yet.',
  );
}

/** `config` is already printed. */
export function describeVersion(version: AssetVersionDetail, config: string): View {
  return [
    line({ text: version.ref, style: 'strong' }, '  ', state(version.state)),
    fields({
      Digest: version.digest,
      Approved: version.approved ? good('yes') : 'no',
      Pushed: [time(version.created_at), ` by ${version.pushed_by}`],
      Message: version.message === '' ? null : version.message,
    }),
    ...(version.references.length === 0
      ? []
      : [
          table(
            ['refers to', 'version', 'digest'],
            version.references.map(({ ref, version: pinned, digest }) => [ref, pinned, shortDigest(digest)]),
            '',
          ),
        ]),
    line(faint('config')),
    verbatim(config.trimEnd()),
  ];
}

/** `config` is already printed. */
export function describeAsset(asset: AssetDetail, config: string): View {
  return [
    line({ text: asset.ref, style: 'strong' }, asset.description === '' ? '' : `  ${asset.description}`),
    fields({
      Team: asset.team,
      Owner: asset.owner,
      Framework: asset.framework,
      Tags: asset.tags.length === 0 ? null : asset.tags.join(', '),
      Visibility: [asset.visibility, faint(`  ${describeVisibility(asset)}`)],
      Published: asset.published ? 'yes: listed for everybody who may read it' : 'no',
      Serving: asset.serving_version,
      Created: time(asset.created_at),
      Updated: time(asset.updated_at),
    }),
    listVersions(asset.versions),
    table(
      ['who', prose('may')],
      asset.permissions.map(({ principal, actions }) => [principal, actions.join(', ')]),
      'No entries: only admins have access.',
    ),
    ...(asset.config === null ? [] : [line(faint('config')), verbatim(config.trimEnd())]),
  ];
}

/** The entries behind a visibility. */
export function describeVisibility({ visibility, team }: Pick<Asset, 'visibility' | 'team'>): string {
  return {
    org: `entries for org and team:${team}`,
    team: `an entry for team:${team}, none for org`,
    private: `no entry for org, none for team:${team}`,
  }[visibility];
}
