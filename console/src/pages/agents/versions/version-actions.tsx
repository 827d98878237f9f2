import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { local_target } from '@gantry/contract/assets/targets.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../../parts/action/button.tsx';
import { Dialog } from '../../../parts/form/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../../parts/action/menu.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import { ask } from '../../../server.ts';
import { AgentDialog } from '../agent-dialogs.tsx';
import { RollbackDialog, useEarlierVersions } from './rollback-dialog.tsx';

interface VersionActionsProps {
  asset: AssetDetail;
  version: AssetDetail['versions'][number];
}

export function VersionActions({ asset, version: { version, ref, approved, created_at } }: VersionActionsProps) {
  const { name, versions, serving_version, latest_version, can } = asset;
  const [dialog, setDialog] = useState<'submit' | 'rollback'>();
  const earlier = useEarlierVersions(name) ?? [];
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const navigate = useNavigate();
  const { data: targets } = useQuery(ask('targets.list', {}));
  const deploy = useSend('deployments.create', { changes: ['agents', 'registry'] });
  const deployTo = (target?: string) =>
    deploy.mutate(
      { body: { ref, ...(target !== undefined && { target }) } },
      { onSuccess: ({ answer: { id } }) => void navigate({ to: '/deployments/$id', params: { id } }) },
    );
  // The item without a target is for the default one.
  const runsOn = status?.targets.flatMap((one) => (one.version === version ? [one.target] : [])) ?? [];
  const elsewhere = (targets ?? []).filter(
    (one) => one.deploys && one.name !== (status?.target ?? local_target) && !runsOn.includes(one.name),
  );
  const serving = versions.find((each) => each.version === serving_version);
  const isServing = version === serving_version;
  const isEarlier = serving !== undefined && created_at < serving.created_at;
  const others = versions.filter((each) => each.version !== version);
  const compared = isServing ? others[0]?.version : (serving_version ?? others[0]?.version);
  // `can` is of one version; the service refuses another one in its own words.
  const canDeploy = version === latest_version ? status?.can?.['deployments.create'] : { allowed: true };
  const canReturn = version === earlier[0] ? status?.can?.['agents.rollback'] : { allowed: true };
  const [from, to] = isEarlier ? [version, compared] : [compared, version];
  return (
    <>
      <Menu
        trigger={<IconButton label={`What one can do with ${version}`} icon={<Ellipsis size={16} aria-hidden />} />}
      >
        {earlier.includes(version) ? (
          <MenuItem can={canReturn} svc={`svc rollback ${name} --to ${version}`} onPress={() => setDialog('rollback')}>
            Roll back to {version}…
          </MenuItem>
        ) : (
          !isServing && (
            <MenuItem can={canDeploy} svc={`svc deploy ${ref}`} onPress={() => deployTo()}>
              Deploy {version}
            </MenuItem>
          )
        )}
        {elsewhere.map(({ name: target }) => (
          <MenuItem
            key={target}
            can={canDeploy}
            svc={`svc deploy ${ref} --target ${target}`}
            onPress={() => deployTo(target)}
          >
            Deploy {version} to {target}
          </MenuItem>
        ))}
        {!approved && (
          <MenuItem can={can['approvals.submit']} onPress={() => setDialog('submit')}>
            Request its approval…
          </MenuItem>
        )}
        {(!isServing || !approved) && <MenuLine />}
        {from !== undefined && to !== undefined && (
          <MenuItem
            onPress={() => void navigate({ to: '/agents/$name/difference', params: { name }, search: { from, to } })}
          >
            Compare with {compared}
          </MenuItem>
        )}
        <MenuItem onPress={() => void navigate({ to: '/agents/$name/config', params: { name }, search: { version } })}>
          Its config and files
        </MenuItem>
      </Menu>
      {dialog === 'rollback' && <RollbackDialog name={name} to={version} onClose={() => setDialog(undefined)} />}
      {dialog === 'submit' && (
        <AgentDialog
          dialog="submit"
          asset={{ ...asset, latest_version: version }}
          onClose={() => setDialog(undefined)}
        />
      )}
      <Dialog title={`${version} was not deployed`} isOpen={deploy.error !== null} onClose={() => deploy.reset()}>
        <Refusal error={deploy.error} />
      </Dialog>
    </>
  );
}
