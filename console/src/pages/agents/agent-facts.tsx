// What the agent may reach, who may call it, and who answers for it.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { reachesNoAddress } from '@gantry/contract/assets/reach.ts';
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Digest } from '../../parts/copy.tsx';
import { Facts, Section } from '../../parts/page/page.tsx';
import { ReachLines } from '../approvals/reach-lines.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { useScaling } from './scale-dialog.tsx';

export function AgentFacts({ name }: { name: string }) {
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const { data: status } = useQuery(ask('agents.status', { params: { name } }));
  const scaling = useScaling(name);
  const version = asset?.serving_version ?? asset?.latest_version ?? undefined;
  const { data: running } = useQuery({
    ...ask('registry.show_version', { params: { kind: 'agent', name, version: version ?? '' } }),
    enabled: version !== undefined,
  });
  if (asset === undefined || status === undefined || (version !== undefined && running === undefined))
    return <div className="skeleton h-80" />;
  // The service checked it when the version was pushed.
  const config = (running?.config ?? {}) as Partial<AgentConfig>;
  return (
    <div>
      <Section title="What it may reach" aside={version}>
        <ReachLines reach={status.reach ?? []} />
        {status.reach !== null && reachesNoAddress(status.reach) && (
          <p className="mt-2 text-quiet">It reaches no address outside but the model gateway.</p>
        )}
        <Guardrails rules={config.guardrails ?? []} />
      </Section>
      <Section
        title="Who may call it"
        aside={
          <Link to="/agents/$name/access" params={{ name }} className="text-accent">
            access
          </Link>
        }
      >
        <Callers permissions={asset.permissions} only={config.access?.allowed_callers} />
      </Section>
      <Section title="About">
        <Facts
          facts={[
            ['Does', asset.description === '' ? '–' : asset.description],
            ['Team', <TeamLink key="team" team={asset.team} />],
            ['Owner', asset.owner],
            ['Framework', asset.framework ?? '–'],
            [
              'Deployed',
              status.deployed_at === null ? (
                'never'
              ) : (
                <span key="deployed">
                  <When at={status.deployed_at} /> by {status.deployed_by ?? 'the service'}
                </span>
              ),
            ],
            ...(scaling === undefined || scaling.max === 1
              ? []
              : [['Containers', `${status.instances.length}, approved for ${scaling.min} to ${scaling.max}`] as const]),
            ['Content', status.digest === null ? '–' : <Digest key="content" digest={status.digest} />],
          ]}
        />
      </Section>
    </div>
  );
}

function Guardrails({ rules }: { rules: NonNullable<AgentConfig['guardrails']> }) {
  if (rules.length === 0) return null;
  const names = rules.map((rule) => (typeof rule === 'string' ? rule : rule.name));
  return (
    <p className="mt-2 text-quiet">
      Guardrails of its own: <span className="font-mono text-meta">{names.join(', ')}</span>
    </p>
  );
}

function TeamLink({ team }: { team: string }) {
  return (
    <Link to="/teams/$team" params={{ team }} className="text-accent">
      {team}
    </Link>
  );
}

interface CallersProps {
  permissions: AssetDetail['permissions'];
  /** The allowed callers of agent.yaml, which narrow the others. */
  only: readonly string[] | undefined;
}

export function Callers({ permissions, only }: CallersProps) {
  const callers = permissions.filter(({ actions }) => actions.includes('use')).map(({ principal }) => principal);
  return (
    <>
      <ul className="flex flex-col gap-1">
        {callers.map((principal) => (
          <li key={principal}>{principal === 'org' ? 'the whole organisation' : principal}</li>
        ))}
        <li className="text-quiet">and platform admins</li>
      </ul>
      {only !== undefined && (
        <p className="mt-1 text-waiting">Its agent.yaml accepts calls only from {only.join(', ')}.</p>
      )}
    </>
  );
}
