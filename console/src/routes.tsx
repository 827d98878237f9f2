// Every page and its address. A page is loaded when it is opened or when the browser is idle; its search parameters are its filters.
import { Problem } from '@gantry/contract/problems.ts';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as load,
  redirect,
  type RouteComponent,
} from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { NotFound, PageFailed } from './frame/failed.tsx';
import { Pending } from './frame/pending.tsx';
import { HomePage } from './pages/home/home.tsx';
import { textSearch } from './parts/list/filters.tsx';
import { openedAddress } from './parts/browser/opened-address.ts';
import { later } from './parts/browser/later.ts';
import { ask, queries, waitsForService } from './server.ts';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
  beforeLoad: async ({ location: { href } }) => {
    try {
      const me = await queries.query({ ...ask('auth.me', {}), retry: waitsForService, staleTime: 'static' });
      // Pages of their own, outside of this router.
      if (me.must_change_password) throw redirect({ href: '/change-password', reloadDocument: true });
    } catch (error) {
      if (error instanceof Problem && error.code === 'unauthenticated')
        throw redirect({ href: `/sign-in?next=${encodeURIComponent(asGiven(href))}`, reloadDocument: true });
      throw error;
    }
  },
});

/** The request of a program goes on after the sign-in exactly as it came. */
function asGiven(href: string): string {
  const { pathname, search } = openedAddress();
  return href.startsWith('/authorize?') && pathname === '/authorize' ? pathname + search : href;
}

function page<const Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component });
}

/** An address that people may have kept. */
const tryIt = createRoute({
  getParentRoute: () => root,
  path: '/agents/$name/try',
  beforeLoad: ({ params: { name } }) => {
    // The type of the routes is made from this one too, so it cannot check it.
    throw redirect({ to: '/talk/$agent/{-$thread}', params: { agent: name }, replace: true } as never);
  },
});

/** A page with filters. */
function filtered<const Path extends string, Search>(
  path: Path,
  component: RouteComponent,
  validateSearch: (given: Record<string, unknown>) => Search,
) {
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

const pages = [
  filtered('/', HomePage, textSearch('team')),
  filtered(
    '/agents',
    load(
      later(() => import('./pages/agents/agents.tsx')),
      'AgentsPage',
    ),
    textSearch('text', 'state', 'team'),
  ),
  page(
    '/new-agent',
    load(
      later(() => import('./pages/new-agent/new-agent.tsx')),
      'NewAgentPage',
    ),
  ),
  page(
    '/agents/$name',
    load(
      later(() => import('./pages/agents/overview.tsx')),
      'OverviewPage',
    ),
  ),
  tryIt,
  filtered(
    '/talk',
    load(
      later(() => import('./pages/talk/agents.tsx')),
      'TalkAgentsPage',
    ),
    textSearch('text'),
  ),
  page(
    '/talk/$agent/{-$thread}',
    load(
      later(() => import('./pages/talk/talk.tsx')),
      'TalkPage',
    ),
  ),
  page(
    '/talk/$agent/shared/$share',
    load(
      later(() => import('./pages/talk/shares/shared-talk.tsx')),
      'SharedTalkPage',
    ),
  ),
  page(
    '/knowledge/$name',
    load(
      later(() => import('./pages/knowledge/base.tsx')),
      'KnowledgeBasePage',
    ),
  ),
  filtered(
    '/knowledge/$name/documents/$document',
    load(
      later(() => import('./pages/knowledge/document.tsx')),
      'DocumentPage',
    ),
    textSearch('start', 'end'),
  ),
  page(
    '/inbox',
    load(
      later(() => import('./pages/inbox/inbox.tsx')),
      'InboxPage',
    ),
  ),
  filtered(
    '/connections',
    load(
      later(() => import('./pages/connections/connections.tsx')),
      'ConnectionsPage',
    ),
    textSearch('ask'),
  ),
  page(
    '/authorize',
    load(
      later(() => import('./pages/clients/authorize.tsx')),
      'AuthorizePage',
    ),
  ),
  page(
    '/connections/callback/$server',
    load(
      later(() => import('./pages/connections/callback.tsx')),
      'CallbackPage',
    ),
  ),
  page(
    '/agents/$name/revisions',
    load(
      later(() => import('./pages/agents/versions/revisions.tsx')),
      'RevisionsPage',
    ),
  ),
  page(
    '/agents/$name/deployments',
    load(
      later(() => import('./pages/agents/deployments.tsx')),
      'DeploymentsPage',
    ),
  ),
  filtered(
    '/agents/$name/logs',
    load(
      later(() => import('./pages/agents/logs/logs.tsx')),
      'LogsPage',
    ),
    textSearch('text', 'level', 'request', 'revision'),
  ),
  filtered(
    '/agents/$name/config',
    load(
      later(() => import('./pages/agents/versions/config.tsx')),
      'ConfigPage',
    ),
    textSearch('version', 'file'),
  ),
  filtered(
    '/agents/$name/difference',
    load(
      later(() => import('./pages/agents/versions/difference.tsx')),
      'DifferencePage',
    ),
    textSearch('from', 'to'),
  ),
  filtered(
    '/agents/$name/access',
    load(
      later(() => import('./pages/agents/access/access.tsx')),
      'AccessPage',
    ),
    textSearch('principal', 'action'),
  ),
  page(
    '/agents/$name/secrets',
    load(
      later(() => import('./pages/agents/secrets/secrets.tsx')),
      'SecretsPage',
    ),
  ),
  filtered(
    '/agents/$name/cost',
    load(
      later(() => import('./pages/agents/cost/cost.tsx')),
      'CostPage',
    ),
    textSearch('since'),
  ),
  filtered(
    '/agents/$name/traces',
    load(
      later(() => import('./pages/agents/traces.tsx')),
      'TracesPage',
    ),
    textSearch('status', 'since'),
  ),
  filtered(
    '/orchestrations',
    load(
      later(() => import('./pages/orchestrations/orchestrations.tsx')),
      'OrchestrationsPage',
    ),
    textSearch('text', 'team'),
  ),
  page(
    '/orchestrations/$name',
    load(
      later(() => import('./pages/orchestrations/overview.tsx')),
      'OverviewPage',
    ),
  ),
  page(
    '/orchestrations/$name/try',
    load(
      later(() => import('./pages/orchestrations/try-it/try-it.tsx')),
      'TryItPage',
    ),
  ),
  filtered(
    '/orchestrations/$name/history',
    load(
      later(() => import('./pages/orchestrations/runs/runs.tsx')),
      'RunsPage',
    ),
    textSearch('state', 'version'),
  ),
  filtered(
    '/orchestrations/$name/history/$run',
    load(
      later(() => import('./pages/orchestrations/runs/run.tsx')),
      'RunPage',
    ),
    textSearch('call'),
  ),
  filtered(
    '/orchestrations/$name/versions',
    load(
      later(() => import('./pages/orchestrations/versions/versions.tsx')),
      'VersionsPage',
    ),
    textSearch('version'),
  ),
  filtered(
    '/orchestrations/$name/access',
    load(
      later(() => import('./pages/orchestrations/access.tsx')),
      'AccessPage',
    ),
    textSearch('principal', 'action'),
  ),
  page(
    '/deployments/$id',
    load(
      later(() => import('./pages/deployments/deployment.tsx')),
      'DeploymentPage',
    ),
  ),
  filtered(
    '/traces/$id',
    load(
      later(() => import('./pages/traces/trace.tsx')),
      'TracePage',
    ),
    textSearch('span'),
  ),
  filtered(
    '/registry',
    load(
      later(() => import('./pages/registry/registry.tsx')),
      'RegistryPage',
    ),
    textSearch('text', 'kind', 'team'),
  ),
  filtered(
    '/registry/$kind/new',
    load(
      later(() => import('./pages/registry/new-asset.tsx')),
      'NewAssetPage',
    ),
    textSearch('of'),
  ),
  filtered(
    '/registry/$kind/$name',
    load(
      later(() => import('./pages/registry/asset.tsx')),
      'AssetPage',
    ),
    textSearch('version'),
  ),
  page(
    '/registry/prompt/$name/playground',
    load(
      later(() => import('./pages/registry/playground/playground.tsx')),
      'PlaygroundPage',
    ),
  ),
  filtered(
    '/approvals',
    load(
      later(() => import('./pages/approvals/approvals.tsx')),
      'ApprovalsPage',
    ),
    textSearch('status', 'asset'),
  ),
  filtered(
    '/approvals/$id',
    load(
      later(() => import('./pages/approvals/review.tsx')),
      'ReviewPage',
    ),
    textSearch('part', 'file'),
  ),
  page(
    '/teams',
    load(
      later(() => import('./pages/teams/teams.tsx')),
      'TeamsPage',
    ),
  ),
  page(
    '/teams/$team',
    load(
      later(() => import('./pages/teams/team.tsx')),
      'TeamPage',
    ),
  ),
  filtered(
    '/teams/$team/budget',
    load(
      later(() => import('./pages/teams/team-budget.tsx')),
      'TeamBudgetPage',
    ),
    textSearch('of'),
  ),
  filtered(
    '/users',
    load(
      later(() => import('./pages/users/users.tsx')),
      'UsersPage',
    ),
    textSearch('text', 'role', 'new'),
  ),
  page(
    '/users/$id',
    load(
      later(() => import('./pages/users/user.tsx')),
      'UserPage',
    ),
  ),
  filtered(
    '/groups',
    load(
      later(() => import('./pages/groups/groups.tsx')),
      'GroupsPage',
    ),
    textSearch('team'),
  ),
  page(
    '/groups/$id',
    load(
      later(() => import('./pages/groups/group.tsx')),
      'GroupPage',
    ),
  ),
  filtered(
    '/service-principals',
    load(
      later(() => import('./pages/principals/principals.tsx')),
      'PrincipalsPage',
    ),
    textSearch('team'),
  ),
  page(
    '/service-principals/$id',
    load(
      later(() => import('./pages/principals/principal.tsx')),
      'PrincipalPage',
    ),
  ),
  filtered(
    '/keys',
    load(
      later(() => import('./pages/keys/keys.tsx')),
      'KeysPage',
    ),
    textSearch('scope', 'team', 'all', 'new'),
  ),
  page(
    '/keys/$id',
    load(
      later(() => import('./pages/keys/key.tsx')),
      'KeyPage',
    ),
  ),
  filtered(
    '/costs',
    load(
      later(() => import('./pages/costs/costs.tsx')),
      'CostsPage',
    ),
    textSearch('by', 'since', 'team', 'agent', 'model', 'tag'),
  ),
  page(
    '/budgets',
    load(
      later(() => import('./pages/costs/budgets.tsx')),
      'BudgetsPage',
    ),
  ),
  filtered(
    '/audit',
    load(
      later(() => import('./pages/audit/audit.tsx')),
      'AuditPage',
    ),
    textSearch('asset', 'user', 'action', 'outcome', 'since', 'until', 'follow'),
  ),
  page(
    '/audit/$chain/$seq',
    load(
      later(() => import('./pages/audit/entry.tsx')),
      'EntryPage',
    ),
  ),
  page(
    '/audit/verify',
    load(
      later(() => import('./pages/audit/verify.tsx')),
      'VerifyPage',
    ),
  ),
  page(
    '/organisation',
    load(
      later(() => import('./pages/organisation/settings.tsx')),
      'SettingsPage',
    ),
  ),
  page(
    '/webhooks',
    load(
      later(() => import('./pages/webhooks/webhooks.tsx')),
      'WebhooksPage',
    ),
  ),
  filtered(
    '/webhooks/$name',
    load(
      later(() => import('./pages/webhooks/webhook.tsx')),
      'WebhookPage',
    ),
    textSearch('state'),
  ),
  filtered(
    '/models',
    load(
      later(() => import('./pages/models/models.tsx')),
      'ModelsPage',
    ),
    textSearch('team'),
  ),
  page(
    '/models/$name',
    load(
      later(() => import('./pages/models/model.tsx')),
      'ModelPage',
    ),
  ),
  page(
    '/targets',
    load(
      later(() => import('./pages/targets/targets.tsx')),
      'TargetsPage',
    ),
  ),
  page(
    '/targets/$name',
    load(
      later(() => import('./pages/targets/target.tsx')),
      'TargetPage',
    ),
  ),
  page(
    '/doctor',
    load(
      later(() => import('./pages/organisation/doctor.tsx')),
      'DoctorPage',
    ),
  ),
  filtered(
    '/notifications',
    load(
      later(() => import('./pages/home/notifications.tsx')),
      'NotificationsPage',
    ),
    textSearch('unread'),
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  defaultPendingComponent: Pending,
  defaultPendingMs: 400,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
