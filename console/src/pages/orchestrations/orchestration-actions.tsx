// What one can do with an orchestration: one main action, and the others in a menu.
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { AgentDialog } from '../agents/agent-dialogs.tsx';
import { AssetMenu } from '../registry/asset-actions.tsx';
import { useDeploy } from './versions/use-deploy.ts';

export function OrchestrationActions({ asset, tab }: { asset: AssetDetail; tab: string }) {
  const { name, ref, can, latest_version, serving_version } = asset;
  const [isSubmitting, setSubmitting] = useState(false);
  const { data: check } = useQuery(ask('orchestrations.check', { params: { name }, query: {} }));
  const navigate = useNavigate();
  const deploy = useDeploy(name);
  return (
    <>
      {latest_version !== serving_version ? (
        <Action
          look="main"
          can={check?.can['orchestrations.deploy']}
          svc={`svc orchestration deploy ${name}`}
          isBusy={deploy.isPending}
          onPress={() => deploy.mutate({ params: { name }, body: {} })}
        >
          Deploy {latest_version}
        </Action>
      ) : (
        tab !== 'try' && (
          <Link to="/orchestrations/$name/try" params={{ name }} className={buttonClass('main')}>
            Try it
          </Link>
        )
      )}
      <AssetMenu asset={asset}>
        <MenuItem
          can={can['registry.edit']}
          svc={`svc orchestration push`}
          onPress={() =>
            void navigate({ to: '/registry/$kind/new', params: { kind: 'orchestration' }, search: { of: name } })
          }
        >
          New version…
        </MenuItem>
        <MenuItem can={can['approvals.submit']} svc={`svc submit --asset ${ref}`} onPress={() => setSubmitting(true)}>
          Request approval…
        </MenuItem>
        <MenuLine />
      </AssetMenu>
      {isSubmitting && <AgentDialog dialog="submit" asset={asset} onClose={() => setSubmitting(false)} />}
      <Dialog title={`${ref} is unchanged`} isOpen={deploy.error !== null} onClose={() => deploy.reset()}>
        <Refusal error={deploy.error} />
      </Dialog>
    </>
  );
}
