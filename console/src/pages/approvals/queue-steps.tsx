import { ChevronDown, ChevronUp } from 'lucide-react';
import { IconButton } from '../../parts/action/button.tsx';
import { useShortcuts } from '../../parts/keys.ts';
import { useQueue } from './queue.ts';

/** Where this request stands among those that wait for the reader, and the way to its neighbours. */
export function QueueSteps({ id }: { id: string }) {
  const { place, length, next, previous, open } = useQueue(id);
  useShortcuts({ j: () => open(next), k: () => open(previous) });
  if (length === 0) return null;
  return (
    <div className="flex items-center text-meta text-quiet max-phone:w-full">
      <span className="mr-1">
        {place === 0 ? `${length} waiting for you` : `${place} of ${length} waiting for you`}
      </span>
      <IconButton
        label="Previous request (k)"
        icon={<ChevronUp size={16} />}
        disabled={previous === undefined}
        onClick={() => open(previous)}
      />
      <IconButton
        label="Next request (j)"
        icon={<ChevronDown size={16} />}
        disabled={next === undefined}
        onClick={() => open(next)}
      />
    </div>
  );
}
