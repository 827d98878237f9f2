// Outgoing messages: notifications and mail for people, webhooks for programs, and copies of the log.
import type { Destination } from './governance/audit/push/destination.ts';
import { pushing } from './governance/audit/push/push.ts';
import type { Config } from './ground/config/config.ts';
import type { Database } from './ground/database/database.ts';
import { deriveKey } from './ground/derive-key.ts';
import type { StoredKeys } from './ground/envelope/stored-keys.ts';
import { passwordTokens, type PasswordTokens } from './people/login/password-token.ts';
import { checkMail } from './telling/notifications/mail-check.ts';
import { connectMailServer } from './telling/notifications/mail-server.ts';
import { mailing } from './telling/notifications/send-mail.ts';
import { tell, type CatchUp } from './telling/notifications/tell.ts';
import { openOutbound, type Outbound } from './ground/outbound/outbound.ts';
import type { Check } from './service/doctor.ts';
import { startQueues } from './ground/queue/work.ts';
import { delivering } from './telling/webhooks/deliver.ts';

export interface Outgoing {
  catchUp: CatchUp;
  password_tokens: PasswordTokens;
  webhooks: { db: Database; outbound: Outbound; secret_key: Buffer };
  check: Check;
  /** Continues where the last process stopped. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openOutgoing(
  config: Config,
  {
    db,
    secret_key,
    keys,
    base_url,
    receivers,
    onError,
  }: {
    db: Database;
    secret_key: string;
    keys: StoredKeys;
    base_url: () => string;
    /** The destinations of log copies. */
    receivers: readonly Destination[];
    onError: (error: unknown) => void;
  },
): Promise<Outgoing> {
  const { mail: settings, outbound_private_hosts: private_hosts } = config;
  const mail = settings && { server: await connectMailServer(settings), from: settings.from };
  const catchUp = async () => await tell(db, { mail: mail !== undefined, onError });
  const webhooks = {
    db,
    outbound: openOutbound({ private_hosts }),
    secret_key: keys['webhook-secret'],
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
      const queues = [
        mailing({ db, catchUp, password_tokens, mail, base_url }),
        delivering(webhooks),
        ...receivers.map((to) => pushing(db, to, onError)),
      ];
      for (const to of receivers) started.defer(async () => await to.close());
      const working = await startQueues(db, queues, { alone, onError });
      started.defer(async () => await working.stop());
    },
    close: async () => await started.disposeAsync(),
  };
}
