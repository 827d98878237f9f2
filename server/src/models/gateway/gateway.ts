// The parts of the gateway, its start and its end.
import { randomUUID } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { backgroundWork } from '../../ground/background-work.ts';
import type { Database } from '../../ground/database/database.ts';
import { forgetOldGiven } from '../guardrails/given.ts';
import { forgetOldRecords, type GuardrailRecord } from '../guardrails/record.ts';
import { forgetProcess, overdueHolds, seeProcess } from '../ledger/accounts.ts';
import { openOutbound } from '../../ground/outbound/outbound.ts';
import type { Spans } from '../traces/spans.ts';
import { openAdmission, unknown_usage } from './admission/admission.ts';
import { openFacts, type ReadCredentials } from './admission/facts.ts';
import { openGoogleTokens } from './upstream/google-token.ts';
import { openHealth } from './upstream/health.ts';
import type { RunKey } from '../../ground/run-token.ts';
import type { GatewayParts } from './parts.ts';
import { openCalls } from './admission/open-calls.ts';
import { forgetOldRefusedStarts } from './admission/refused-start.ts';
import * as store from './store.ts';

export interface Gateway extends GatewayParts {
  /** Notes that this process is alive, and charges the holds of those that died. */
  startSweeper(): void;
  /** Throws `ledger_unavailable` while no call can be admitted. */
  requireReady(): void;
  /** After the last answer: waits for what is still read, and for the settlements. */
  close(): Promise<void>;
}

const seen_every_ms = 5000;
const sweep_every_ms = 10_000;
const max_swept = 1000;
/** The table of health is for people, so it may be late. */
const write_health_ms = 3000;

export function openGateway({
  db,
  admission_db,
  owner,
  private_hosts,
  readCredentials,
  spans,
  run_key,
  guardrails,
  onError,
}: {
  db: Database;
  /** The connections of `admission_pool`. */
  admission_db: Database;
  /** The name of this process. */
  owner: string;
  private_hosts: readonly string[];
  readCredentials: ReadCredentials;
  spans: Pick<Spans, 'add' | 'lose'>;
  run_key: RunKey;
  guardrails: GuardrailRecord;
  onError: (error: unknown) => void;
}): Gateway {
  const process = randomUUID();
  const admission = openAdmission(admission_db, { facts: openFacts(readCredentials), process, onError });
  const outbound = openOutbound({ private_hosts });
  const background = backgroundWork(onError);
  const timers: NodeJS.Timeout[] = [];
  let writing: NodeJS.Timeout | undefined;
  const writeHealth = async () => {
    writing = undefined;
    const seen = health.takeChanges();
    if (seen.length > 0) await store.putHealth(db, seen, owner);
  };
  const health = openHealth({
    onChange: () => (writing ??= setTimeout(() => background.start(writeHealth()), write_health_ms)),
  });
  const sweep = async () => {
    await forgetOldGiven(db);
    await forgetOldRecords(db);
    await forgetOldRefusedStarts(db);
    for (const { id, accounts } of await overdueHolds(db, { process, limit: max_swept }))
      admission.settle({
        hold_id: id,
        accounts,
        outcome: 'lost',
        ...unknown_usage,
      });
  };
  return {
    db,
    admission,
    outbound,
    google_tokens: openGoogleTokens({ outbound, private_hosts }),
    health,
    writeHealth,
    open_calls: openCalls({ db, background: background.start }),
    guardrails,
    readCredentials,
    spans,
    run_key,
    onBroken: onError,
    background: background.start,
    startSweeper: () => {
      background.start(seeProcess(db, process));
      timers.push(
        setInterval(() => background.start(seeProcess(db, process)), seen_every_ms),
        setInterval(() => background.start(sweep()), sweep_every_ms),
      );
    },
    requireReady: () => {
      if (admission.isFailing())
        throw new Problem('ledger_unavailable', {
          detail: 'The ledger stores nothing, so no call to a model is admitted: see the service log.',
        });
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await background.ended();
      clearTimeout(writing);
      await writeHealth().catch(onError);
      // The holds of a process that is not forgotten are charged a minute after its end.
      if (await admission.close()) await forgetProcess(db, process).catch(onError);
      else onError(new Error('the ledger does not store the last calls, so another process charges what they hold'));
      await outbound.close();
    },
  };
}
