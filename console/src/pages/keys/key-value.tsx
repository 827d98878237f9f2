import type { GatewayKeyWithValue } from '@gantry/contract/models/keys.ts';
import { Copy } from '../../parts/copy.tsx';
import { ShownOnce } from '../../parts/form/shown-once.tsx';
import { holderOf } from './key-state.tsx';

/** The value of a key, and the way to use it. */
export function KeyValue({ made, onClose }: { made: GatewayKeyWithValue; onClose: () => void }) {
  return (
    <ShownOnce title={`Value of ${made.alias}`} value={made.key} onClose={onClose}>
      It works for {holderOf(made)}. Clients read it from OPENAI_API_KEY, and the address from OPENAI_BASE_URL:{' '}
      <span className="font-mono text-meta">
        <Copy text={`${location.origin}/v1`} />
      </span>
    </ShownOnce>
  );
}
