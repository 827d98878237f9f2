import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import type { CostForecast } from '@gantry/contract/models/costs.ts';
import { Link } from '@tanstack/react-router';
import { Digest } from '../../parts/copy.tsx';
import { money, plural } from '../../parts/figures/figures.ts';
import { Facts, Section } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';

/** What it is compared with, how much has changed, and what it costs. */
export function Since({ request }: { request: ApprovalDetail }) {
  const { asset, asset_version, compared_with, changes, cost, digest, target } = request;
  const { config, files, dependencies, base_image } = changes;
  const first = target === 'none' ? 'no version is approved yet' : 'nothing of it runs yet';
  const before = compared_with === null ? first : <Approved request={request} />;
  const itself = `${asset}@${asset_version}`;
  const title =
    compared_with === null ? 'All of it is new' : compared_with === itself ? 'It runs now' : `Since ${compared_with}`;
  const settings = plural(config.length, 'setting');
  const packages = plural(dependencies.length, 'package');
  const content = <Digest digest={digest} />;
  return (
    <Section title={title}>
      <div className="rounded border border-line bg-raised px-3 py-2.5">
        <Facts
          facts={[
            ['Before', before],
            [
              'Changed',
              (target === 'none' ? [settings] : [plural(files.length, 'file'), settings, packages]).join(' · '),
            ],
            ...(target === 'none' || compared_with === null
              ? []
              : [['Base image', base_image === null ? 'unchanged' : 'another one'] as const]),
            ...(cost === null ? [] : costFacts(cost)),
            ['Content', content],
          ]}
        />
      </div>
    </Section>
  );
}

function Approved({ request: { compared_approval, target } }: { request: ApprovalDetail }) {
  const state = target === 'none' ? '' : 'runs, ';
  if (compared_approval === null) return `${state}without an approval`;
  const { id, decided_by, decided_at } = compared_approval;
  return (
    <>
      {state}
      <Link to="/approvals/$id" params={{ id }} className="text-accent underline">
        approved
      </Link>{' '}
      by {decided_by ?? 'an admin'} <When at={decided_at} />
    </>
  );
}

function costFacts({ per_day_usd, days, cap, cap_ends_at }: CostForecast) {
  const rate =
    per_day_usd === null
      ? 'no calls to models in the last 7 days'
      : `${money(per_day_usd)} a day over the last ${days === 1 ? 'day' : `${days} days`}`;
  return [
    ['Cost', rate],
    [
      'Budget',
      cap === null ? (
        'none limits it'
      ) : (
        <>
          {money(cap.spent_usd)} of {money(cap.limit_usd)} a {cap.window} of {cap.of}
          {', '}
          {cap.percent >= 100 ? (
            <span className="text-failed">spent</span>
          ) : cap_ends_at === null ? (
            `lasts to the end of the ${cap.window}`
          ) : (
            <span className="text-waiting">
              ends <When at={cap_ends_at} />
            </span>
          )}
        </>
      ),
    ],
  ] as const;
}
