import type { GatewayKeyDetail } from '@gantry/contract/models/keys.ts';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { KeyValue } from './key-value.tsx';

type Asked = 'claim' | 'rotate' | 'reveal' | 'revoke';

/** What can be done with a key in its state. */
export function KeyActions({ gatewayKey: { id, prefix, state, can } }: { gatewayKey: GatewayKeyDetail }) {
  const [open, setOpen] = useState<Asked>();
  const resume = useSend('keys.resume', { says: () => `${prefix}… works again` });
  const begin = (what: Asked) => () => setOpen(what);
  return (
    <>
      {state === 'waiting' && (
        <Action can={can['keys.claim']} look="main" svc={`svc key claim ${prefix}`} onPress={begin('claim')}>
          Claim
        </Action>
      )}
      {state === 'paused' && (
        <Action
          can={can['keys.resume']}
          look="main"
          svc={`svc key resume ${prefix}`}
          isBusy={resume.isPending}
          onPress={() => resume.mutate({ params: { id } })}
        >
          End the pause
        </Action>
      )}
      {state !== 'revoked' && (
        <>
          <Action can={can['keys.rotate']} svc={`svc key rotate ${prefix}`} onPress={begin('rotate')}>
            Rotate
          </Action>
          <Menu trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}>
            <MenuItem {...(can['keys.reveal'] && { can: can['keys.reveal'] })} onPress={begin('reveal')}>
              Show its value again…
            </MenuItem>
            <MenuLine />
            <MenuItem {...(can['keys.revoke'] && { can: can['keys.revoke'] })} isDanger onPress={begin('revoke')}>
              Revoke…
            </MenuItem>
          </Menu>
        </>
      )}
      {open === 'revoke' && <Revoke id={id} prefix={prefix} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'revoke' && (
        <Value key={open} what={open} id={id} prefix={prefix} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

const shown = {
  claim: { title: 'Claim', about: 'The key works from now on. Its value is shown once.', send: 'Claim the key' },
  rotate: {
    title: 'Rotate',
    about: 'A new key has the same rights, limits and spending. This one ends at once.',
    send: 'Replace the key',
  },
  reveal: { title: 'Show again', about: 'The audit log keeps that you have seen it.', send: 'Show the value' },
} as const;

interface ValueProps {
  what: keyof typeof shown;
  id: string;
  prefix: string;
  onClose: () => void;
}

function Value({ what, id, prefix, onClose }: ValueProps) {
  const navigate = useNavigate();
  const asking = {
    claim: useSend('keys.claim', { says: () => `${prefix}… works` }),
    rotate: useSend('keys.rotate', { says: (made) => `${made.prefix}… replaces ${prefix}…` }),
    reveal: useSend('keys.reveal', { says: () => `You have seen the value of ${prefix}…` }),
  }[what];
  const made = asking.data?.answer;
  const close = () => {
    onClose();
    if (made !== undefined && made.id !== id) void navigate({ to: '/keys/$id', params: { id: made.id } });
  };
  if (made !== undefined) return <KeyValue made={made} onClose={close} />;
  const { title, about, send } = shown[what];
  return (
    <Confirm
      title={`${title}: ${prefix}…`}
      about={about}
      send={send}
      sending={asking}
      onClose={onClose}
      onSend={() => asking.mutate({ params: { id } })}
    />
  );
}

function Revoke({ id, prefix, onClose }: Omit<ValueProps, 'what'>) {
  const navigate = useNavigate();
  const revoke = useSend('keys.revoke', { says: () => `${prefix}… is revoked` });
  return (
    <Confirm
      title={`Revoke ${prefix}…`}
      about="No call begins with it any more, and calls under way end within a second. Rotate it instead to keep its work going."
      send="Revoke the key"
      sending={revoke}
      onClose={onClose}
      onSend={() => revoke.mutate({ params: { id } }, { onSuccess: () => void navigate({ to: '/keys' }) })}
    />
  );
}
