// A knowledge base: one searches it as oneself, sees which snapshot serves and what is in it, and moves to another one.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask } from '../../server.ts';
import { CostsOf } from './costs-of.tsx';
import { Quality } from './quality.tsx';
import { Refreshing } from './refreshing.tsx';
import { SearchIt } from './search-it.tsx';
import { Snapshots } from './snapshots.tsx';
import { UploadsOf } from './uploads.tsx';
import { Upkeep } from './upkeep.tsx';

const route = getRouteApi('/knowledge/$name');

export function KnowledgeBasePage() {
  const { name } = route.useParams();
  const kind = 'knowledge-base';
  const { data: base, error } = useQuery(ask('registry.show', { params: { kind, name } }));
  const questions = Array.isArray(base?.config?.questions) ? base.config.questions.length : 0;
  const [run, setRun] = useState<string>();
  const refresh = useSend('knowledge.refresh');
  return (
    <Page
      title={name}
      above={[
        { label: 'Registry', link: { to: '/registry' } },
        { label: 'Knowledge bases', link: { to: '/registry', search: { kind } } },
      ]}
      about={base?.description || 'Documents that agents search, each as the person who asks may read them.'}
      svc={`svc kb snapshots ${name}`}
      actions={
        <>
          <Link to="/registry/$kind/$name" params={{ kind, name }} className={buttonClass('plain')}>
            Config and versions
          </Link>
          <Action
            can={base?.can['registry.edit']}
            svc={`svc kb refresh ${name}`}
            look="main"
            isBusy={refresh.isPending}
            onPress={() => refresh.mutate({ params: { name } }, { onSuccess: ({ answer }) => setRun(answer.id) })}
          >
            Refresh
          </Action>
        </>
      }
    >
      {[error, refresh.error].map((each, index) => each !== null && <Refusal key={index} error={each} />)}
      {run !== undefined && <Refreshing key={run} id={run} can={base?.can['registry.edit']} />}
      <SearchIt kind={kind} name={name} can={base?.can['registry.edit']} />
      <Snapshots name={name} can={base?.can['registry.edit']} />
      {questions > 0 && <Quality name={name} count={questions} can={base?.can['registry.edit']} />}
      {base !== undefined && <UploadsOf base={base} />}
      <Upkeep name={name} can={base?.can['registry.edit']} />
      {base !== undefined && (
        <CostsOf tag={`knowledge-bases/${name}`} team={base.team} about="the vectors of its documents" />
      )}
    </Page>
  );
}
