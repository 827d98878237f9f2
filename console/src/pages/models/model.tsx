import { formatNames } from '@gantry/project/model-providers.ts';
import { stateOfModel } from '@gantry/contract/models/model-state.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Action } from '../../parts/action/action.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { useNow } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { Credentials } from './credentials.tsx';
import { ShownModelState } from './model-state.tsx';
import { longestAnswer } from './longest-answer.ts';
import { Prices } from './prices.tsx';
import { TestLines } from './test-lines.tsx';
import { Upstreams } from './upstreams.tsx';

const route = getRouteApi('/models/$name');

export function ModelPage() {
  const { name } = route.useParams();
  const { data: model, error } = useQuery(ask('models.show', { params: { name } }));
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'model', name } }));
  const test = useSend('models.test', { changes: ['costs'] });
  const now = useNow(10_000);
  const why = model && stateOfModel(model, now).why;
  return (
    <Page
      title={name}
      above={[{ label: 'Models', link: { to: '/models' } }]}
      state={model && <ShownModelState model={model} />}
      about={model && `${model.model} of ${model.provider}${why === undefined ? '' : `: ${why}`}`}
      svc={`svc model show ${name}`}
      actions={
        <>
          <Link to="/registry/$kind/$name" params={{ kind: 'model', name }} className={buttonClass('quiet')}>
            Config and versions
          </Link>
          <Action
            can={asset?.can['registry.edit']}
            svc={`svc model test ${name}`}
            look="main"
            isBusy={test.isPending}
            onPress={() => test.mutate({ params: { name } })}
          >
            {test.isPending ? 'Calling …' : 'Test'}
          </Action>
        </>
      }
    >
      {error !== null && <Refusal error={error} />}
      {test.error !== null && (
        <div className="mb-4">
          <Refusal error={test.error} />
        </div>
      )}
      {test.data !== undefined && <TestLines tests={test.data.answer} />}
      {model === undefined && error === null && <div className="skeleton h-80" />}
      {model !== undefined && (
        <>
          <Upstreams model={model} />
          <div className="grid grid-cols-2 gap-x-8 max-phone:grid-cols-1">
            <Section title="Facts">
              <Facts
                facts={[
                  ['Team', model.team],
                  ['Format', formatNames[model.kind]],
                  ['Type', model.type],
                  ['Aliases', model.aliases.join(', ') || 'none'],
                  ['Fallbacks', model.fallbacks.join(', ') || 'none'],
                  ['Longest answer', longestAnswer(model)],
                  [
                    'Context',
                    model.context_window_tokens === null ? 'unknown' : `${model.context_window_tokens} tokens`,
                  ],
                  ['Config', model.version],
                ]}
              />
            </Section>
            <Prices model={model} asset={asset} />
          </div>
          <Credentials model={model} />
        </>
      )}
    </Page>
  );
}
