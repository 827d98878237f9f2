import { isCloud, testedOn, type TargetDetail } from '@gantry/contract/assets/targets.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { Digest } from '../../parts/copy.tsx';
import { MenuItem } from '../../parts/action/menu.tsx';
import { Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { AssetMenu } from '../registry/asset-actions.tsx';
import { CredentialForm } from './credential-form.tsx';

const route = getRouteApi('/targets/$name');

export function TargetPage() {
  const { name } = route.useParams();
  const { data: target, error } = useQuery(ask('targets.show', { params: { name } }));
  const isAsset = target !== undefined && target.ref !== null;
  const { data: asset } = useQuery({
    ...ask('registry.show', { params: { kind: 'target', name } }),
    enabled: isAsset,
  });
  const can = useMe()?.can;
  const test = useSend('targets.test');
  const [isOpen, setOpen] = useState(false);
  return (
    <Page
      title={name}
      above={[{ label: 'Targets', link: { to: '/targets' } }]}
      about={target?.address ?? undefined}
      svc={`svc target show ${name}`}
      actions={
        <>
          {isAsset && (
            <Link to="/registry/$kind/$name" params={{ kind: 'target', name }} className={buttonClass('quiet')}>
              Config and versions
            </Link>
          )}
          {isAsset && asset !== undefined && (
            <AssetMenu asset={asset}>
              <MenuItem can={can?.['targets.set_credential']} onPress={() => setOpen(true)}>
                Set its credential…
              </MenuItem>
            </AssetMenu>
          )}
          <Action
            can={can?.['targets.test']}
            svc={`svc target test ${name}`}
            look="main"
            isBusy={test.isPending}
            onPress={() => test.mutate({ params: { name } })}
          >
            {test.isPending ? 'Testing …' : 'Test'}
          </Action>
        </>
      }
    >
      {[error, test.error].map((each, index) => each !== null && <Refusal key={index} error={each} />)}
      {test.data !== undefined && (
        <Section title="Test">
          <div role="status">
            <ul className="rounded border border-line bg-raised">
              {test.data.answer.map(({ part, works, message }) => (
                <li key={part} className="flex flex-wrap gap-x-4 border-b border-line px-3 py-1.5 last:border-b-0">
                  <State meaning={works ? 'good' : 'failed'}>{part}</State>
                  <span className="min-w-0 break-words">{message}</span>
                </li>
              ))}
            </ul>
          </div>
        </Section>
      )}
      {target === undefined && error === null && <div className="skeleton h-80" />}
      {target !== undefined && <TargetFacts target={target} />}
      {isOpen && target !== undefined && (
        <CredentialForm name={name} kind={target.kind} onClose={() => setOpen(false)} />
      )}
    </Page>
  );
}

function TargetFacts({
  target: { kind, team, deploys, config, digest, credential, agents },
}: {
  target: TargetDetail;
}) {
  const text = (field: string) => (typeof config[field] === 'string' ? config[field] : '–');
  return (
    <Section title="Facts">
      <Facts
        facts={[
          ['Kind', kind],
          ['Tested on', testedOn(kind)],
          ['Team', team ?? 'of the service'],
          ['You may deploy', deploys ? 'yes' : 'no'],
          ['Registry', text('registry')],
          ['Door', text('service_url')],
          ['Digest', digest === null ? '–' : <Digest key="digest" digest={digest} />],
          [
            'Credential',
            credential === null ? (
              isCloud(kind) ? (
                'the identity of the machine of the service'
              ) : (
                'none'
              )
            ) : (
              <span key="credential">
                set by {credential.set_by} <When at={credential.set_at} />
              </span>
            ),
          ],
          [
            'Agents',
            agents.length === 0 ? (
              'none'
            ) : (
              <span key="agents" className="flex flex-wrap gap-x-2">
                {agents.map((agent) => (
                  <Link key={agent} to="/agents/$name" params={{ name: agent }} className="text-accent">
                    {agent}
                  </Link>
                ))}
              </span>
            ),
          ],
        ]}
      />
    </Section>
  );
}
