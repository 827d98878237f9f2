import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Facts, Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { When } from '../../parts/figures/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask } from '../../server.ts';
import { KeyActions } from './key-actions.tsx';
import { holderOf, KeyState } from './key-state.tsx';
import { limitsInWords } from './limits.tsx';

const route = getRouteApi('/keys/$id');

const meanings = {
  waiting: 'It waits until its holder claims it.',
  inactive: 'It works as soon as the deploy of its agent has ended.',
  paused: 'A call cost more than was held for it. An admin of its team ends the pause.',
  active: 'It works within its limits and those of its holder.',
  expired: 'Its time is over. Rotate it to get another one.',
  revoked: 'It no longer works.',
};

export function KeyPage() {
  const { id } = route.useParams();
  const { data: key, error } = useQuery(ask('keys.show', { params: { id } }));
  return (
    <Page
      title={key?.alias ?? 'Key'}
      above={[{ label: 'Keys', link: { to: '/keys' } }]}
      state={key && <KeyState state={key.state} />}
      about={key && meanings[key.state]}
      svc={`svc key show ${key?.prefix ?? shellWord(id)}`}
      actions={key && <KeyActions gatewayKey={key} />}
    >
      {error !== null && <Refusal error={error} />}
      {key !== undefined && (
        <>
          <Section title="What it may do">
            <Facts
              facts={[
                ['Works for', holderOf(key)],
                ['Team', key.team ?? '–'],
                ['Models', <Mono key="models">{key.models.join('  ')}</Mono>],
                ['Limits', limitsInWords(key.limits)],
                ['Tags', <Mono key="tags">{key.tags.join('  ') || '–'}</Mono>],
              ]}
            />
          </Section>
          <Section title="Where it comes from">
            <Facts
              facts={[
                ['Begins with', <Mono key="prefix">{key.prefix}</Mono>],
                ['Made by', key.issued ? `the service, for ${holderOf(key)}` : key.created_by],
                ['Created', <When key="created" at={key.created_at} />],
                ['Expires', key.expires_at === null ? 'never' : <When key="expires" at={key.expires_at} />],
              ]}
            />
          </Section>
        </>
      )}
    </Page>
  );
}

function Mono({ children }: { children: string }) {
  return <span className="font-mono text-meta whitespace-pre-wrap">{children}</span>;
}
