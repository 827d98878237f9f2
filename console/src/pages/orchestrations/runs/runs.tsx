import { runStates } from '@gantry/contract/agents/run-states.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChoiceFilter, Filters } from '../../../parts/list/filters.tsx';
import { shellWord } from '../../../parts/shell-word.ts';
import { ask } from '../../../server.ts';
import { OrchestrationPage } from '../orchestration-page.tsx';
import { RunList } from './run-list.tsx';

const route = getRouteApi('/orchestrations/$name/history');

export function RunsPage() {
  const { name } = route.useParams();
  const search = route.useSearch();
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  const flags = Object.entries(search).map(([flag, word]) =>
    word === undefined ? '' : ` --${flag} ${shellWord(word)}`,
  );
  return (
    <OrchestrationPage name={name} tab="runs" wide svc={`svc orchestration runs ${name}${flags.join('')}`}>
      <Filters>
        <ChoiceFilter name="state" label="Any state" options={runStates} />
        <ChoiceFilter
          name="version"
          label="Any version"
          options={asset?.versions.map(({ version }) => version) ?? []}
        />
      </Filters>
      <RunList name={name} limit={100} {...search} isWhole />
    </OrchestrationPage>
  );
}
