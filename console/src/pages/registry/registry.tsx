import type { Asset } from '@gantry/contract/assets/registry.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Button, buttonClass } from '../../parts/action/button.tsx';
import { ChoiceFilter, Filters, SearchFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Menu, MenuItem } from '../../parts/action/menu.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { ask, askList } from '../../server.ts';
import { useCanCreate } from './can-create.ts';
import { isKind, kindOptions, kinds } from './kinds.ts';

const route = getRouteApi('/registry');

const columns: readonly Column<Asset>[] = [
  { header: 'Name', width: 'minmax(0,1.4fr)', cell: ({ name }) => name },
  { header: 'Kind', width: '120px', cell: ({ kind }) => kinds[kind].one },
  { header: 'Latest', width: '80px', isExtra: true, cell: ({ latest_version }) => latest_version ?? '–' },
  { header: 'Team', width: 'minmax(0,0.7fr)', isExtra: true, cell: ({ team }) => team },
  {
    header: 'Readers',
    width: '130px',
    isExtra: true,
    cell: ({ visibility, published }) => `${visibility}${published ? ', published' : ''}`,
  },
  { header: 'Changed', width: '100px', isExtra: true, cell: ({ updated_at }) => <When at={updated_at} /> },
  {
    header: 'Description',
    width: 'minmax(0,2fr)',
    isExtra: true,
    cell: ({ description }) => <span className="text-quiet">{description}</span>,
  },
];

export function RegistryPage() {
  const { text, kind, team } = route.useSearch();
  const navigate = useNavigate();
  const can = useCanCreate();
  const { data: me } = useQuery(ask('auth.me', {}));
  const query = { q: text, kind: kind !== undefined && isKind(kind) ? kind : undefined, team, limit: 200 };
  const assets = useInfiniteQuery(askList('registry.search', { query }));
  const isFiltered = text !== undefined || kind !== undefined || team !== undefined;
  return (
    <Page
      title="Registry"
      wide
      about="Agents, and everything that they are made of: each with its versions, readers and users."
      svc={lineOf(text, kind)}
      actions={
        <Menu trigger={<Button look="main">New asset</Button>}>
          {kindOptions
            .filter(({ value }) => value !== 'skill')
            .map(({ value, label }) => (
              <MenuItem
                key={value}
                {...(can !== undefined && { can })}
                onPress={() =>
                  void navigate(
                    value === 'agent' ? { to: '/new-agent' } : { to: '/registry/$kind/new', params: { kind: value } },
                  )
                }
              >
                {label}
              </MenuItem>
            ))}
        </Menu>
      }
    >
      <Filters>
        <SearchFilter label="Search the registry" />
        <ChoiceFilter name="kind" label="Any kind" options={kindOptions} />
        <ChoiceFilter name="team" label="All teams" options={me?.teams.map(({ name }) => name) ?? []} />
      </Filters>
      <List
        label="Assets"
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ kind: of, name }) => ({ to: '/registry/$kind/$name', params: { kind: of, name } })}
        {...pagesOf(assets)}
        empty={
          <Empty
            action={
              kind !== undefined && isKind(kind) && kind !== 'agent' && kind !== 'skill' && text === undefined ? (
                <Link to="/registry/$kind/new" params={{ kind }} className={buttonClass('plain')}>
                  New {kinds[kind].one}
                </Link>
              ) : undefined
            }
          >
            {!isFiltered && 'Nothing is here yet. Begin with an agent: its project brings its prompts and tools along.'}
            {isFiltered && 'No asset that you may read fits these filters.'}
            {kind !== undefined && isKind(kind) && ` ${kinds[kind].about}`}
            {kind === 'skill' && ' Push the folder of one: svc skill push <folder>'}
          </Empty>
        }
      />
    </Page>
  );
}

function lineOf(text: string | undefined, kind: string | undefined): string {
  if (text !== undefined)
    return `svc search ${shellWord(text)}${kind === undefined ? '' : ` --kind ${shellWord(kind)}`}`;
  return `svc registry ${shellWord(kind ?? 'agent')} list`;
}
