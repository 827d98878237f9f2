import { choice, defineCommand, text } from '../../command.ts';
import { stateOf, targetOf } from '../../review/describe-approval.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review list',
  summary: 'Requests for approval that you may see (default: the pending ones)',
  needs: 'approval.list',
  examples: ['svc review list', 'svc review list --status approved --asset agents/greeter'],
  arguments: {},
  flags: {
    status: choice('Only these; waiting: those that you may decide now; own: yours', [
      'waiting',
      'own',
      'pending',
      'approved',
      'rejected',
      'decided',
      'all',
    ]),
    asset: text('Only this asset, such as agents/greeter', 'reference'),
    limit: limitFlag,
  },
  async run({ status = 'pending', asset, limit }, session) {
    const filter = { ...(status === 'all' ? {} : { status }), ...(asset === undefined ? {} : { asset }) };
    const requests = await takePages(session, limit, (query) =>
      session.call('approvals.list', { query: { ...query, ...filter } }),
    );
    return {
      data: requests,
      view: [
        table(
          ['request', 'status', 'asset', 'target', 'by', 'submitted', prose('message')],
          requests.map((request) => [
            request.id,
            stateOf(request),
            `${request.asset}@${request.asset_version}`,
            targetOf(request),
            request.submitted_by,
            time(request.submitted_at),
            request.message,
          ]),
          status === 'pending'
            ? 'No pending requests. An author makes one: svc submit --message "what is new"'
            : 'No requests yet. An author makes one: svc submit',
        ),
      ],
      next: requests
        .slice(0, 1)
        .map((request) => ({ command: `svc review show ${request.id}`, when: 'to see its changes' })),
    };
  },
});
