// The next step of the newest version, for this reader: the one main button of an agent that has one.
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { awaitedBy, type Upcoming } from '@gantry/contract/agents/upcoming.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { Button, buttonClass } from '../../parts/action/button.tsx';
import { showReceipt } from '../../parts/action/receipt.tsx';

interface UpcomingActionProps {
  status: AgentStatus;
  asset: AssetDetail;
  isBusy: boolean;
  onDeploy: () => void;
  onSubmit: () => void;
  /** For readers who have no step of the newest version, while another one is deployed. */
  otherwise: ReactNode;
}

export function UpcomingAction({ status, asset, isBusy, onDeploy, onSubmit, otherwise }: UpcomingActionProps) {
  const { name, latest_version, upcoming, can } = status;
  const email = useMe()?.email;
  const params = { name };
  const awaited = upcoming === null ? undefined : awaitedBy(upcoming);
  const request = upcoming?.request ?? undefined;
  const decides = typeof email === 'string' && request?.can_decide.includes(email) === true;
  if (awaited === 'end' && typeof upcoming?.deployment?.id === 'string')
    return (
      <Link to="/deployments/$id" params={{ id: upcoming.deployment.id }} className={buttonClass('main')}>
        See the deploy
      </Link>
    );
  if (awaited === 'decision' && request !== undefined && decides)
    return (
      <Link to="/approvals/$id" params={{ id: request.id }} className={buttonClass('main')}>
        Review
      </Link>
    );
  if (can?.['deployments.create']?.allowed === true || upcoming === null)
    return (
      <Action
        look="main"
        can={can?.['deployments.create']}
        svc={`svc deploy agents/${name}@${latest_version}`}
        onPress={onDeploy}
        isBusy={isBusy}
      >
        Deploy {latest_version}
      </Action>
    );
  const maySubmit = asset.can['approvals.submit']?.allowed === true || asset.can['agents.push']?.allowed === true;
  if (status.ref !== null && (awaited === 'decision' || !maySubmit)) return otherwise;
  switch (awaited) {
    case 'decision':
      return (
        <Link to="/approvals/$id" params={{ id: request?.id ?? '' }} className={buttonClass('main')}>
          See the request
        </Link>
      );
    case 'change':
      return (
        <Link
          to="/agents/$name/config"
          params={params}
          search={{ version: latest_version ?? undefined }}
          className={buttonClass('main')}
        >
          Make a new version
        </Link>
      );
    case 'deploy':
      return <AskForDeploy name={name} upcoming={upcoming} />;
    case 'retry':
      return (
        <Link to="/deployments/$id" params={{ id: upcoming.deployment?.id ?? '' }} className={buttonClass('main')}>
          See why it failed
        </Link>
      );
    default:
      return (
        <Action
          look="main"
          can={asset.can['approvals.submit']}
          svc={`svc submit --asset agents/${name}`}
          onPress={onSubmit}
          isBusy={isBusy}
        >
          Request approval…
        </Action>
      );
  }
}

/** A deployer has the version on Home. The message is for those who do not look there. */
function AskForDeploy({ name, upcoming: { version, can_deploy } }: { name: string; upcoming: Upcoming }) {
  const [first = 'a platform admin', ...others] = can_deploy;
  const whom = others.length === 0 ? first : `${first} or another deployer`;
  const message = `agents/${name} ${version} is approved. Please deploy it: ${location.origin}/agents/${name}`;
  return (
    <Button
      look="main"
      title={`Copies a message for ${whom}`}
      onClick={() =>
        void navigator.clipboard
          .writeText(message)
          .then(() => showReceipt({ says: `A message for ${whom} is copied`, entries: [] }))
      }
    >
      Ask for the deploy
    </Button>
  );
}
