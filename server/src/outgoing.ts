// What tells the world outside what happened: people in their notifications and by mail, programs through webhooks.
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { deriveKey } from './derive-key.ts';
import { passwordTokens, type PasswordTokens } from './login/password-token.ts';
import { checkMail } from './notifications/mail-check.ts';
import { connectMailServer } from './notifications/mail-server.ts';
import { startNotifying } from './notifications/start.ts';
import { tellNews, type CatchUp } from './notifications/tell.ts';
import { openOutbound, type Outbound } from './outbound/outbound.ts';
import type { Check } from './service/doctor.ts';
import { startDelivering } from './webhooks/deliver.ts';

export interface Outgoing {
  catchUp: CatchUp;
  password_tokens: PasswordTokens;
  webhooks: { db: Database; outbound: Outbound; secret_key: Buffer };
  check: Check;
  /** From where the last process left off. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openOutgoing(
  config: Config,
  {
    db,
    secret_key,
    base_url,
    onError,
  }: { db: Database; secret_key: string; base_url: () => string; onError: (error: unknown) => void },
): Promise<Outgoing> {
  const { mail: settings, outbound_private_hosts: private_hosts } = config;
  const mail = settings && { server: await connectMailServer(settings), from: settings.from };
  const catchUp = async () => await tellNews(db, { mail: mail !== undefined });
  const webhooks = {
    db,
    outbound: openOutbound({ private_hosts }),
    secret_key: deriveKey(secret_key, 'webhook-secret'),
  };
  const password_tokens = passwordTokens(deriveKey(secret_key, 'password-token'));
  const alone = config.database_url === undefined;
  const started = new AsyncDisposableStack();
  started.defer(async () => await webhooks.outbound.close());
  return {
    catchUp,
    password_tokens,
    webhooks,
    check: { part: 'mail', look: async () => await checkMail(db, mail?.server) },
    start: async () => {
      const notifying = await startNotifying({ db, catchUp, password_tokens, mail, base_url, alone, onError });
      started.defer(async () => await notifying.stop());
      const delivering = await startDelivering({ ...webhooks, alone, onError });
      started.defer(async () => await delivering.stop());
    },
    close: async () => await started.disposeAsync(),
  };
}
