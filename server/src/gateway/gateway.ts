// The parts of the gateway, its start and its end.
import type { Database } from '../database/database.ts';
import { overdueHolds } from '../ledger/holds.ts';
import { openOutbound } from '../outbound/outbound.ts';
import { openAdmission } from './admission.ts';
import type { GatewayParts } from './parts.ts';

export interface Gateway extends GatewayParts {
  /** Charges the holds of processes that died. */
  startSweeper(): void;
  /** After the last answer: waits for what is still read, and for every settlement. */
  close(): Promise<void>;
}

const sweep_every_ms = 10_000;
const max_swept = 1000;

export function openGateway({
  db,
  admission_db,
  private_hosts,
  onError,
}: {
  db: Database;
  /** Of `admission_pool`. */
  admission_db: Database;
  private_hosts: readonly string[];
  onError: (error: unknown) => void;
}): Gateway {
  const admission = openAdmission(admission_db, { onError });
  const outbound = openOutbound({ private_hosts });
  const going_on = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  const background = (work: Promise<unknown>) => {
    const watched: Promise<unknown> = work.catch(onError).finally(() => going_on.delete(watched));
    going_on.add(watched);
  };
  const sweep = async () => {
    for (const { id, accounts } of await overdueHolds(db, max_swept))
      admission.settle({
        hold_id: id,
        accounts,
        outcome: 'lost',
        nano: undefined,
        input_tokens: 0,
        output_tokens: 0,
        usage: {},
      });
  };
  return {
    admission,
    outbound,
    credentialOf: async () => await Promise.resolve(undefined),
    onBroken: onError,
    background,
    startSweeper: () => {
      timer = setInterval(() => background(sweep()), sweep_every_ms);
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all(going_on);
      await admission.close();
      await outbound.close();
    },
  };
}
