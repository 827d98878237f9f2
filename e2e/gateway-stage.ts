// Services with the gateway, on one database, with one model and one key. The upstream's journal says what has been paid for.
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { modelUpstream, type ModelUpstream } from '../server/src/testing/models/model-upstream.ts';
import { openServices } from './services.ts';

export interface GatewayStage {
  upstream: ModelUpstream;
  /** As its owner. */
  db: Database;
  pids(): number[];
  key: string;
  key_id: string;
  /** A call to the model `m`. */
  call(n: number, body?: object, signal?: AbortSignal): Promise<Response>;
  /** What the key has spent and holds today, in nano-USD. */
  account(): Promise<{ spent: number; held: number }>;
  /** Kills a service and starts it again. */
  kill(n: number): Promise<void>;
  stop(): Promise<void>;
}

// 590 × $0.15 + 10 × $0.60 per million.
const usage = { prompt_tokens: 590, completion_tokens: 10, total_tokens: 600 };
export const nano_of_call = 94_500;

export async function openGatewayStage({
  services: count,
  daily_usd,
}: {
  services: number;
  daily_usd: string;
}): Promise<GatewayStage> {
  const upstream = await modelUpstream(usage, { latency: 20 });
  const env = { OUTBOUND_PRIVATE_HOSTS: upstream.host };
  const services = await openServices({ count, roles: 'api,gateway', env });
  const { db, urls } = services;
  const admin = services.admin(0);
  const price_usd_per_million = { input: '0.15', output: '0.60' };
  const config = { provider: 'test', model: 'm', base_url: upstream.base_url, price_usd_per_million };
  await admin.call('registry.create', { params: { kind: 'model' }, body: { name: 'm', team: 'default', config } });
  const { key = '', id: key_id } = await admin.call('keys.create', {
    body: { scope: 'team', scope_id: 'default', limits: { daily_usd } },
  });

  return {
    upstream,
    db,
    pids: () => [...urls.keys()].map((n) => services.pidOf(n)),
    key,
    key_id,
    call: async (n, body = {}, signal) =>
      await fetch(`${urls[n % count]}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'count' }], max_tokens: 10, ...body }),
        ...(signal === undefined ? {} : { signal }),
      }),
    account: async () =>
      (await db.one<{ spent: number; held: number }>(
        sql`select day_spent as spent, day_held as held from account where id = ${key_id}`,
      )) ?? never(),
    kill: async (n) => {
      await services.kill(n % count);
      await services.start(n % count);
    },
    stop: async () => {
      await services.stop();
      await upstream.stop();
    },
  };
}

function never(): never {
  throw new Error('the row is there');
}
