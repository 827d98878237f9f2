import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import type { AssetDetail, AssetVersionDetail } from '@gantry/contract/assets/registry.ts';
import { Link } from '@tanstack/react-router';
import { Digest } from '../../parts/copy.tsx';
import { duration, money } from '../../parts/figures/figures.ts';
import { Facts, Section } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { Callers } from '../agents/agent-facts.tsx';
import { strategies } from './strategies.ts';

interface FactsProps {
  asset: AssetDetail;
  config: OrchestrationConfig;
  version: AssetVersionDetail;
}

export function OrchestrationFacts({ asset, config, version }: FactsProps) {
  const { name, team, owner, description, permissions } = asset;
  const { strategy, timeout_seconds, budget_usd, on_error } = config;
  return (
    <div>
      <Section title="Limits of a run">
        <Facts
          facts={[
            ['Longest time', timeout_seconds === undefined ? 'none' : duration(timeout_seconds * 1000)],
            ['Most cost', budget_usd === undefined ? 'none' : money(budget_usd)],
            ['After a failure', on_error === 'continue' ? 'it goes on without the member' : 'it ends'],
          ]}
        />
      </Section>
      <Section
        title="Who may call it"
        aside={
          <Link to="/orchestrations/$name/access" params={{ name }} className="text-accent">
            access
          </Link>
        }
      >
        <Callers permissions={permissions} only={undefined} />
      </Section>
      <Section title="About">
        <Facts
          facts={[
            ['Does', description === '' ? '–' : description],
            ['Strategy', strategies[strategy].name],
            [
              'Team',
              <Link key="team" to="/teams/$team" params={{ team }} className="text-accent">
                {team}
              </Link>,
            ],
            ['Owner', owner],
            [
              'Pushed',
              <span key="pushed">
                <When at={version.created_at} /> by {version.pushed_by}
              </span>,
            ],
            ['Content', <Digest key="content" digest={version.digest} />],
          ]}
        />
      </Section>
    </div>
  );
}
