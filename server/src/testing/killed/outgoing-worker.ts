// The sender of mail and webhooks in a separate process, for the tests to kill at any moment. Started as
// `node outgoing-worker.ts <settings as JSON>`.
import type { MailConfig } from '../../ground/config/config.ts';
import { openDatabase, type Connection } from '../../ground/database/database.ts';
import { passwordTokens } from '../../people/login/password-token.ts';
import { connectMailServer } from '../../telling/notifications/mail-server.ts';
import { mailing } from '../../telling/notifications/send-mail.ts';
import { tell } from '../../telling/notifications/tell.ts';
import { openOutbound } from '../../ground/outbound/outbound.ts';
import { startQueues } from '../../ground/queue/work.ts';
import { delivering } from '../../telling/webhooks/deliver.ts';

export interface OutgoingWorkerSettings {
  connection: Connection;
  mail: MailConfig;
  private_hosts: string[];
  /** Base64. */
  secret_key: string;
  alone: boolean;
}

const given = JSON.parse(process.argv[2] ?? '') as OutgoingWorkerSettings; // by the tests
const db = openDatabase(given.connection);
const outbound = openOutbound({ private_hosts: given.private_hosts });
const mail = { server: await connectMailServer(given.mail), from: given.mail.from };
const onError = (error: unknown) => process.stderr.write(`${String(error)}\n`);
const catchUp = async () => await tell(db, { mail: true, onError });
const base_url = () => 'https://gantry.example.com';
const password_tokens = passwordTokens(Buffer.from(given.secret_key, 'base64'));
const secret_key = Buffer.from(given.secret_key, 'base64');
const queues = [mailing({ db, catchUp, password_tokens, mail, base_url }), delivering({ db, outbound, secret_key })];
await startQueues(db, queues, { alone: given.alone, onError });
process.stdout.write('ready\n');
