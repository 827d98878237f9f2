// What one can do with an agent: one main action, and the others in a menu.
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { buttonClass, IconButton } from '../../parts/action/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { untilEnded } from '../deployments/until-ended.ts';
import { AgentDialog, type AgentDialogName } from './agent-dialogs.tsx';
import { UpcomingAction } from './upcoming-action.tsx';

interface AgentActionsProps {
  status: AgentStatus;
  asset: AssetDetail;
}

export function AgentActions({ status, asset }: AgentActionsProps) {
  const { name, state, can, latest_version } = status;
  const [dialog, setDialog] = useState<AgentDialogName>();
  const navigate = useNavigate();
  const alters = { changes: ['deployments', 'registry'] };
  const params = { name };
  const stop = useSend('agents.stop', {
    ...alters,
    says: () => `agents/${name} is stopped: its calls are refused`,
    undo: async ({ id }) => await untilEnded(id).then(async () => await send('agents.start', { params })),
  });
  const start = useSend('agents.start', {
    ...alters,
    says: () => `agents/${name} starts`,
    undo: async () => await send('agents.stop', { params }),
  });
  const restart = useSend('agents.restart', { ...alters, says: () => `agents/${name} gets new containers` });
  const deploy = useSend('deployments.create', { changes: ['agents', 'registry'] });
  const publish = useSend('registry.publish', {
    says: () => `agents/${name} is listed for the whole organisation`,
    undo: async () => await send('registry.unpublish', { params: { kind: 'agent', name } }),
  });
  const unpublish = useSend('registry.unpublish', {
    says: () => `agents/${name} is no longer listed for other teams`,
    undo: async () => await send('registry.publish', { params: { kind: 'agent', name } }),
  });
  const all = [stop, start, restart, deploy, publish, unpublish];
  const isBusy = all.some(({ isPending }) => isPending);
  const failed = all.find(({ error }) => error !== null);

  const newest = `agents/${name}@${latest_version}`;
  const isNewer = latest_version !== null && status.ref !== newest;
  // A rollback is not undone by the one button that everybody presses.
  const isRolledBack = status.rolled_back !== null && status.rolled_back.from === latest_version;
  const deployNewest = () =>
    deploy.mutate(
      { body: { ref: newest } },
      { onSuccess: ({ answer: { id } }) => void navigate({ to: '/deployments/$id', params: { id } }) },
    );

  const askApproval = () => setDialog('submit');
  const usual =
    state === 'stopped' ? (
      <Operation name={name} verb="Start" can={can?.['agents.start']} sending={start} isBusy={isBusy} />
    ) : state === 'failed' ? (
      <Operation name={name} verb="Restart" can={can?.['agents.restart']} sending={restart} isBusy={isBusy} />
    ) : (
      <Link to="/talk/$agent/{-$thread}" params={{ agent: name }} className={buttonClass('main')}>
        Talk to it
      </Link>
    );

  return (
    <>
      {isNewer && !isRolledBack ? (
        <UpcomingAction
          {...{ status, asset, isBusy }}
          onDeploy={deployNewest}
          onSubmit={askApproval}
          otherwise={usual}
        />
      ) : (
        usual
      )}
      <Menu trigger={<IconButton label={`More about ${name}`} icon={<Ellipsis size={16} />} />}>
        {status.ref !== null && (
          <>
            {state === 'stopped' ? (
              <MenuItem can={can?.['agents.start']} svc={`svc start ${name}`} onPress={() => start.mutate({ params })}>
                Start
              </MenuItem>
            ) : (
              <>
                <MenuItem
                  can={can?.['agents.restart']}
                  svc={`svc restart ${name}`}
                  onPress={() => restart.mutate({ params })}
                >
                  Restart
                </MenuItem>
                <MenuItem can={can?.['agents.stop']} svc={`svc stop ${name}`} onPress={() => stop.mutate({ params })}>
                  Stop
                </MenuItem>
              </>
            )}
            <MenuItem can={can?.['agents.rollback']} svc={`svc rollback ${name}`} onPress={() => setDialog('rollback')}>
              Roll back…
            </MenuItem>
            <MenuItem can={can?.['agents.scale']} svc={`svc scale ${name}`} onPress={() => setDialog('scale')}>
              Scale…
            </MenuItem>
            <MenuLine />
          </>
        )}
        {isNewer && (
          <MenuItem can={can?.['deployments.create']} svc={`svc deploy ${newest}`} onPress={deployNewest}>
            Deploy {latest_version}
            {isRolledBack && ' again'}
          </MenuItem>
        )}
        <MenuItem can={asset.can['approvals.submit']} svc={`svc submit --asset agents/${name}`} onPress={askApproval}>
          Request approval…
        </MenuItem>
        {asset.published ? (
          <MenuItem
            can={asset.can['registry.unpublish']}
            svc={`svc registry agent unpublish ${name}`}
            onPress={() => unpublish.mutate({ params: { kind: 'agent', name } })}
          >
            Unpublish
          </MenuItem>
        ) : (
          <MenuItem
            can={asset.can['registry.publish']}
            svc={`svc registry agent publish ${name}`}
            onPress={() => publish.mutate({ params: { kind: 'agent', name } })}
          >
            Publish
          </MenuItem>
        )}
        <MenuItem
          can={asset.can['registry.set_visibility']}
          svc={`svc registry agent edit ${name} --visibility`}
          onPress={() => setDialog('visibility')}
        >
          Visibility…
        </MenuItem>
        <MenuItem
          can={asset.can['registry.transfer']}
          svc={`svc registry agent transfer ${name}`}
          onPress={() => setDialog('transfer')}
        >
          Transfer…
        </MenuItem>
        <MenuLine />
        <MenuItem isDanger can={can?.['agents.delete']} svc={`svc delete ${name}`} onPress={() => setDialog('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {dialog !== undefined && <AgentDialog dialog={dialog} asset={asset} onClose={() => setDialog(undefined)} />}
      <Dialog
        title={`agents/${name} is unchanged`}
        isOpen={failed !== undefined}
        onClose={() => all.forEach((sending) => sending.reset())}
      >
        <Refusal error={failed?.error} />
      </Dialog>
    </>
  );
}

interface OperationProps {
  name: string;
  verb: 'Start' | 'Restart';
  can: Allowed | undefined;
  sending: { mutate: (parts: { params: { name: string } }) => void };
  isBusy: boolean;
}

function Operation({ name, verb, can, sending, isBusy }: OperationProps) {
  return (
    <Action
      look="main"
      can={can}
      svc={`svc ${verb.toLowerCase()} ${name}`}
      onPress={() => sending.mutate({ params: { name } })}
      isBusy={isBusy}
    >
      {verb}
    </Action>
  );
}
