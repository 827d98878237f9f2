import type { Database } from '../../ground/database/database.ts';
import { backlog } from '../../ground/queue/queue.ts';
import { MailFailure, type MailServer } from './mail-server.ts';
import { mailQueue } from './send-mail.ts';

export interface MailVerdict {
  verdict: 'ok' | 'warning' | 'problem';
  detail: string;
  fix: string | null;
}

/** For `svc doctor`: checks the mail server and the queue. */
export async function checkMail(db: Database, server: MailServer | undefined): Promise<MailVerdict> {
  if (server === undefined)
    return {
      verdict: 'ok',
      detail: 'no mail is sent, because SMTP_URL is not set; users have svc notifications instead',
      fix: null,
    };
  const { waiting, failed, problem } = await backlog(db, mailQueue);
  const queue = `${waiting} waiting, ${failed} failed${problem === null ? '' : `; the last time: ${problem}`}`;
  try {
    await server.verify();
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    const fix = 'Check SMTP_URL, SMTP_CA_FILE and the mail server; pending mail is retried for a day.';
    return { verdict: 'problem', detail: `${server.name}: ${error.message}; ${queue}`, fix };
  }
  const detail = `${server.name} answers; ${queue}`;
  if (failed === 0) return { verdict: 'ok', detail, fix: null };
  return {
    verdict: 'warning',
    detail,
    fix: 'Check the recipients. Notifications of failed mail are in svc notifications; svc user reset-password mails a new password token.',
  };
}
