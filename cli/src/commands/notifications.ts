import type { Notification } from '@gantry/contract/telling/notifications.ts';
import { defineCommand, toggle } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import { faint, line, prose, strong, table, time } from '../view/view.ts';

export const command = defineCommand({
  words: 'notifications',
  summary: 'Your notifications, newest first, and the number of requests for your decision; shown ones count as read',
  needs: 'notification.read',
  examples: ['svc notifications', 'svc notifications --unread --keep --json'],
  arguments: {},
  flags: {
    unread: toggle('Only unread ones'),
    keep: toggle('Keep the shown ones unread'),
    limit: limitFlag,
  },
  async run({ unread, keep, limit }, session) {
    const shown = await takePages(session, limit, (query) =>
      session.call('notifications.list', { query: { ...query, unread: unread ? 'true' : 'false' } }),
    );
    const fresh = shown.filter(({ read_at }) => read_at === null).map(({ id }) => id);
    if (!keep)
      for (let at = 0; at < fresh.length; at += 200)
        await session.call('notifications.read', { body: { ids: fresh.slice(at, at + 200) } });
    const { pending } = await session.call('notifications.count', {});
    return {
      data: shown,
      view: [
        table(
          ['', 'when', 'what', 'about', 'by', prose('text'), 'request'],
          shown.map((one) => [
            one.read_at === null ? strong('new') : '',
            time(one.created_at),
            said[one.kind],
            one.account ?? (one.asset_version === null ? one.asset : `${one.asset}@${one.asset_version}`),
            one.by,
            one.text,
            one.approval_id === null ? null : faint(one.approval_id),
          ]),
          unread
            ? 'No unread notifications. All of them: svc notifications'
            : 'No notifications yet. They report requests that you can decide, decisions about yours, budgets that are spent, and runs that wait for you.',
        ),
        ...(pending === 0 ? [] : [line(strong(`${pending} waiting for your decision`), '  svc review list')]),
      ],
      next: pending === 0 ? [] : [{ command: 'svc review list', when: 'to decide them' }],
    };
  },
});

const said: Record<Notification['kind'], string> = {
  submitted: 'asks for approval',
  withdrawn: 'request withdrawn',
  approved: 'approved',
  rejected: 'rejected',
  superseded: 'submitted again',
  revoked: 'approval revoked',
  expired: 'expired',
  budget_reached: 'spends its budget',
  key_paused: 'is paused',
  agent_crashing: 'crashes',
  agent_steady: 'is steady again',
  refresh_failed: 'was not refreshed',
  target_drifted: 'was changed by hand',
  runs_wait: 'waits for an answer',
  calls_wait: 'has calls that wait for a decision',
  questions_wait: 'asks you something',
};
