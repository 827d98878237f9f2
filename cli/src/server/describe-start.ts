import { exitCodes } from '../exit-codes.ts';
import type { Next, Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { bad, faint, good, line, link } from '../view/view.ts';
import { logPlace, type RunningServer } from './server-process.ts';

const words = { started: 'listens', restarted: 'listens again', running: 'already runs and listens' } as const;

/** The service after a start, and what comes next for this person. */
export async function describeStart(
  session: Session,
  { pid, url, fault }: RunningServer,
  how: keyof typeof words,
): Promise<Result> {
  const log = logPlace(session.config);
  return {
    data: { pid, url, log, started: how !== 'running', ...(fault === undefined ? {} : { not_ready: fault.detail }) },
    view: [
      line(good('✓ '), `The service ${words[how]} on `, link(url), faint(`  process ${pid}`)),
      line(faint('  log  '), log),
      ...(fault === undefined ? [] : [line(bad('✗ '), `It is not ready: ${fault.detail}`)]),
    ],
    ...(how === 'started' ? { undo: 'svc server stop' } : {}),
    ...(fault === undefined ? {} : { exit: exitCodes.refused, person_must_act: true }),
    next: fault === undefined ? await signInFirst(session.against(url)) : mend_the_log,
  };
}

/** Nothing for a person whose session the service accepts. */
async function signInFirst(session: Session): Promise<Next[]> {
  const token = (await session.token())?.token;
  const isAccepted =
    token !== undefined &&
    (await session.callWith(token, 'auth.me', {}).then(
      () => true,
      () => false, // whatever it is, a sign-in shows it
    ));
  return isAccepted ? [] : [{ command: 'svc login', when: 'to sign in' }];
}

const mend_the_log: Next[] = [
  { command: 'svc audit verify', when: 'to see the damage of the log' },
  { command: 'svc audit reseal --reason "…"', when: 'after a restore from a backup, and only then' },
];
