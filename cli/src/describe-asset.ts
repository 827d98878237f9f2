import type { Asset } from '@gantry/contract/registry.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import {
  faint,
  fields,
  good,
  line,
  shortDigest,
  state,
  table,
  time,
  verbatim,
  type Block,
  type View,
} from './view/view.ts';

type AssetDetail = Answer<Endpoints['registry.show']>;

export function listAssets(assets: readonly Asset[], empty: string): Block {
  return table(
    ['asset', 'latest', 'serving', 'team', 'owner', 'description'],
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

export function describeAsset(asset: AssetDetail): View {
  return [
    line({ text: asset.ref, style: 'strong' }, asset.description === '' ? '' : `  ${asset.description}`),
    fields({
      Team: asset.team,
      Owner: asset.owner,
      Framework: asset.framework,
      Tags: asset.tags.length === 0 ? null : asset.tags.join(', '),
      Visibility: `${asset.visibility}${asset.published ? ', published' : ''}`,
      Serving: asset.serving_version,
      Created: time(asset.created_at),
      Updated: time(asset.updated_at),
    }),
    table(
      ['version', 'state', 'approved', 'by', 'pushed', 'digest', 'message'],
      asset.versions.map((version) => [
        version.version,
        state(version.state),
        version.approved ? good('yes') : 'no',
        version.pushed_by,
        time(version.created_at),
        shortDigest(version.digest),
        version.message,
      ]),
      'No version is pushed yet.',
    ),
    table(
      ['who', 'may'],
      asset.permissions.map(({ principal, actions }) => [principal, actions.join(', ')]),
      'Nobody but admins may do anything with it.',
    ),
    ...(asset.config === null ? [] : [line(faint('config')), verbatim(JSON.stringify(asset.config, null, 2))]),
  ];
}
