// A thing that one can do here. What one may not do is greyed, with its reason and the command that asks for it; it is never hidden.
import type { ReactNode } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { useHeadCommand } from './commands.ts';
import { SvcLine } from '../copy.tsx';
import { Tip } from '../tip.tsx';

/** An entry of the API's `can`. */
export interface Allowed {
  allowed: boolean;
  reason?: string | null | undefined;
  /** The svc command that asks for it. */
  ask?: string | null | undefined;
}

interface ActionProps {
  can: Allowed | undefined;
  /** The same in a terminal. */
  svc: string;
  onPress: () => void;
  look?: ButtonLook;
  icon?: ReactNode;
  isBusy?: boolean;
  children: ReactNode;
}

export function Action({ can, svc, onPress, look, icon, isBusy = false, children }: ActionProps) {
  const isAllowed = can?.allowed === true;
  useHeadCommand({ children, can: can ?? unknown, svc, run: onPress });
  return (
    <Tip text={isAllowed ? <SvcLine line={svc} /> : <Reason can={can} />}>
      <Button look={look} icon={icon} disabled={!isAllowed || isBusy} focusableWhenDisabled onClick={onPress}>
        {children}
      </Button>
    </Tip>
  );
}

const unknown: Allowed = { allowed: false, reason: 'The service has not said yet whether you may.' };

export function Reason({ can = unknown }: { can: Allowed | undefined }) {
  return (
    <>
      <span className="block">{can.reason ?? 'You may not do this.'}</span>
      {typeof can.ask === 'string' && (
        <span className="mt-1 block">
          ask: <SvcLine line={can.ask} />
        </span>
      )}
    </>
  );
}
