// Signs new entries of the log: every minute, after a thousand entries, at a heartbeat, and at the end. Each check is one small query and
// delays no governed change. If the log does not match its checkpoints, signing stops, and the service is not ready until a repair.
import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import { heads } from '../../audit/chain.ts';
import { startLoop } from '../../../ground/queue/loop.ts';
import { beat } from './heartbeat.ts';
import { Mismatch } from '../mismatch.ts';
import type { ProofParts } from '../parts.ts';
import { signNew } from '../sign.ts';

export interface Sealer {
  /** True after a check of every chain since the start. */
  checked: () => boolean;
  /** The mismatch between log and checkpoints, if any. */
  fault: () => string | undefined;
  /** The error of the last signing, such as an unmounted volume, if any. */
  trouble: () => string | undefined;
  /** Signs all current entries. It never throws: an error is reported as trouble, and older signatures stay valid. */
  seal: () => Promise<void>;
  stop(): Promise<void>;
}

const look_every_ms = 5000;
const sign_every_ms = 60_000;
const max_unsigned = 1000;

export function startSealer(
  parts: ProofParts,
  { heartbeat_seconds, onError }: { heartbeat_seconds: number; onError: (error: unknown) => void },
): Sealer {
  const signed = new Map<Chain, { up_to: number; at: number }>();
  const checked = new Set<Chain>();
  const faults = new Map<Chain, string>();
  let trouble: string | undefined;
  let signing: Promise<unknown> = Promise.resolve();

  /** Callers run in sequence. */
  async function sign(wanted: readonly Chain[]): Promise<void> {
    const before = signing;
    const mine = (async () => {
      await before;
      for (const chain of wanted) await signOne(chain);
    })();
    signing = mine.catch(() => {});
    await mine;
  }

  async function signOne(chain: Chain): Promise<void> {
    try {
      const up_to = await signNew(parts, chain);
      signed.set(chain, { up_to, at: performance.now() });
      faults.delete(chain);
      checked.add(chain);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (faults.get(chain) !== error.message) onError(error);
      faults.set(chain, error.message);
      checked.add(chain);
    }
  }

  async function look(): Promise<void> {
    const due = (await heads(parts.db)).filter(({ chain, seq }) => {
      const { up_to, at } = signed.get(chain) ?? { up_to: 0, at: -Infinity };
      const waited = performance.now() - at >= sign_every_ms;
      return !checked.has(chain) || faults.has(chain) || seq - up_to >= max_unsigned || (seq !== up_to && waited);
    });
    await sign(due.map(({ chain }) => chain));
  }

  async function troubled(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      trouble = undefined;
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
      onError(error);
    }
  }

  let beat_at = -Infinity;
  const loop = startLoop(
    async () =>
      await troubled(async () => {
        if (performance.now() >= beat_at)
          beat_at = performance.now() + (await beat(parts.db, heartbeat_seconds)) * 1000;
        await look();
      }),
    { pause_ms: Math.min(look_every_ms, heartbeat_seconds * 1000), onError },
  );

  return {
    checked: () => chains.every((chain) => checked.has(chain)),
    fault: () => faults.values().next().value,
    trouble: () => trouble,
    seal: async () => await troubled(async () => await sign(chains)),
    stop: async () => {
      await loop.stop();
      await sign(chains).catch(onError);
    },
  };
}
