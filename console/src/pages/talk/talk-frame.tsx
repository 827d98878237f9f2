// The frame of a conversation: those of the reader on the left, on a phone behind a button.
import { PanelLeft } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { IconButton } from '../../parts/action/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Conversations } from './conversations.tsx';

interface TalkFrameProps {
  agent: string;
  /** False for an agent whose threads the service does not keep. */
  hasList: boolean;
  /** What stands beside the name of the agent. */
  head: ReactNode;
  children: ReactNode;
}

export function TalkFrame({ agent, hasList, head, children }: TalkFrameProps) {
  const [isListOpen, setListOpen] = useState(false);
  useEffect(() => {
    document.title = `${agent} · Talk · Gantry`;
  }, [agent]);
  return (
    <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 outline-none">
      {hasList && (
        <div className="sticky top-12 flex h-[calc(100dvh-48px)] w-64 shrink-0 flex-col border-r border-line max-phone:hidden">
          <Conversations agent={agent} onChosen={() => {}} />
        </div>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-12 z-10 flex min-h-12 items-center gap-3 border-b border-line bg-ground px-6 max-phone:px-4">
          {hasList && (
            <span className="phone:hidden">
              <IconButton label="Conversations" icon={<PanelLeft size={16} />} onClick={() => setListOpen(true)} />
            </span>
          )}
          <h1 className="min-w-0 truncate text-section">{agent}</h1>
          {head}
        </header>
        {children}
      </div>
      <Dialog title="Conversations" isOpen={isListOpen} onClose={() => setListOpen(false)}>
        <Conversations agent={agent} onChosen={() => setListOpen(false)} />
      </Dialog>
    </main>
  );
}
