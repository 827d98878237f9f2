import { Dialog } from '../parts/form/dialog.tsx';
import { places } from './places.ts';

const keys = [
  ['⌘K or Ctrl+K', 'go to, or do'],
  ['/', 'search this list, or write to the agent'],
  ['Esc', 'in a message: stop the answer'],
  ['↑ ↓ or k j, Enter', 'move in a list, open a row'],
  ['j k', 'on a request: the next, the previous one'],
  ['a r', 'approve, reject'],
  ['?', 'this list'],
] as const;

export function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen onClose={onClose}>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1.5">
        {[...keys, ...places.map(({ key, label }) => [`g ${key}`, label] as const)].map(([key, does]) => (
          <div key={key} className="contents">
            <dt className="font-mono text-meta">{key}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
