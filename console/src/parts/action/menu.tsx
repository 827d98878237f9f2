import { Menu as BaseMenu } from '@base-ui/react/menu';
import { useContext, type ReactElement, type ReactNode } from 'react';
import { Reason, type Allowed } from './action.tsx';
import { Head, useHeadCommand } from './commands.ts';

/** `trigger` opens it. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      {useContext(Head) === 'shown' && <Head value="unseen">{children}</Head>}
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-50">
          <BaseMenu.Popup className="eases min-w-44 rounded border border-line bg-raised py-1 shadow-float outline-none data-starting-style:opacity-0">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

interface MenuItemProps {
  onPress: () => void;
  /** What one may not do is greyed, with its reason below. Absent: everybody may. */
  can?: Allowed | undefined;
  /** The same in a terminal. */
  svc?: string;
  isDanger?: boolean;
  children: ReactNode;
}

export function MenuItem({ onPress, can, svc, isDanger = false, children }: MenuItemProps) {
  const isAllowed = can?.allowed !== false;
  useHeadCommand({ children, can: can ?? { allowed: true }, svc, run: onPress });
  if (useContext(Head) === 'unseen') return null;
  return (
    <BaseMenu.Item
      disabled={!isAllowed}
      onClick={onPress}
      className={`flex min-h-8 max-w-96 cursor-pointer flex-col justify-center px-3 py-1 outline-none data-disabled:cursor-not-allowed data-highlighted:bg-hover ${isDanger ? 'text-failed' : ''}`}
    >
      <span className={`flex items-baseline justify-between gap-6 ${isAllowed ? '' : 'opacity-50'}`}>
        <span className="whitespace-nowrap">{children}</span>
        {svc !== undefined && <span className="truncate font-mono text-meta text-quiet">{svc}</span>}
      </span>
      {!isAllowed && (
        <span className="text-meta text-quiet">
          <Reason can={can} />
        </span>
      )}
    </BaseMenu.Item>
  );
}

export function MenuLine() {
  if (useContext(Head) === 'unseen') return null;
  return <BaseMenu.Separator className="my-1 h-px bg-line" />;
}
