// Every page and its address. A page is loaded when it is opened; its search parameters are its filters.
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
import { HomePage } from './pages/home/home.tsx';
import { textSearch } from './parts/filters.tsx';
import { ask, queries } from './server.ts';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
  beforeLoad: async ({ location: { href } }) => {
    try {
      const me = await queries.query({ ...ask('auth.me', {}), retry: false, staleTime: 'static' });
      // Pages of their own, outside of this router.
      if (me.must_change_password) throw redirect({ href: '/change-password', reloadDocument: true });
    } catch (error) {
      if (error instanceof Problem && error.code === 'unauthenticated')
        throw redirect({ href: `/sign-in?next=${encodeURIComponent(href)}`, reloadDocument: true });
      throw error;
    }
  },
});

function page<const Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component });
}

/** A page with filters. */
function filtered<const Path extends string, Search>(
  path: Path,
  component: RouteComponent,
  validateSearch: (given: Record<string, unknown>) => Search,
) {
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

const pages = [
  page('/', HomePage),
  filtered(
    '/agents',
    load(() => import('./pages/agents/agents.tsx'), 'AgentsPage'),
    textSearch('text', 'state', 'team'),
  ),
  page(
    '/new-agent',
    load(() => import('./pages/new-agent/new-agent.tsx'), 'NewAgentPage'),
  ),
  page(
    '/agents/$name',
    load(() => import('./pages/agents/overview.tsx'), 'OverviewPage'),
  ),
  page(
    '/agents/$name/try',
    load(() => import('./pages/agents/try-it.tsx'), 'TryItPage'),
  ),
  page(
    '/agents/$name/revisions',
    load(() => import('./pages/agents/revisions.tsx'), 'RevisionsPage'),
  ),
  page(
    '/agents/$name/deployments',
    load(() => import('./pages/agents/deployments.tsx'), 'DeploymentsPage'),
  ),
  filtered(
    '/agents/$name/logs',
    load(() => import('./pages/agents/logs.tsx'), 'LogsPage'),
    textSearch('text', 'level', 'request', 'revision'),
  ),
  filtered(
    '/agents/$name/config',
    load(() => import('./pages/agents/config.tsx'), 'ConfigPage'),
    textSearch('version', 'file'),
  ),
  filtered(
    '/agents/$name/difference',
    load(() => import('./pages/agents/difference.tsx'), 'DifferencePage'),
    textSearch('from', 'to'),
  ),
  filtered(
    '/agents/$name/access',
    load(() => import('./pages/agents/access.tsx'), 'AccessPage'),
    textSearch('principal', 'action'),
  ),
  page(
    '/agents/$name/secrets',
    load(() => import('./pages/agents/secrets.tsx'), 'SecretsPage'),
  ),
  filtered(
    '/agents/$name/cost',
    load(() => import('./pages/agents/cost.tsx'), 'CostPage'),
    textSearch('since'),
  ),
  filtered(
    '/agents/$name/traces',
    load(() => import('./pages/agents/traces.tsx'), 'TracesPage'),
    textSearch('status', 'since'),
  ),
  filtered(
    '/orchestrations',
    load(() => import('./pages/orchestrations/orchestrations.tsx'), 'OrchestrationsPage'),
    textSearch('text', 'team'),
  ),
  page(
    '/orchestrations/$name',
    load(() => import('./pages/orchestrations/overview.tsx'), 'OverviewPage'),
  ),
  page(
    '/orchestrations/$name/try',
    load(() => import('./pages/orchestrations/try-it.tsx'), 'TryItPage'),
  ),
  filtered(
    '/orchestrations/$name/history',
    load(() => import('./pages/orchestrations/runs.tsx'), 'RunsPage'),
    textSearch('state', 'version'),
  ),
  filtered(
    '/orchestrations/$name/history/$run',
    load(() => import('./pages/orchestrations/run.tsx'), 'RunPage'),
    textSearch('call'),
  ),
  filtered(
    '/orchestrations/$name/versions',
    load(() => import('./pages/orchestrations/versions.tsx'), 'VersionsPage'),
    textSearch('version'),
  ),
  filtered(
    '/orchestrations/$name/access',
    load(() => import('./pages/orchestrations/access.tsx'), 'AccessPage'),
    textSearch('principal', 'action'),
  ),
  page(
    '/deployments/$id',
    load(() => import('./pages/deployments/deployment.tsx'), 'DeploymentPage'),
  ),
  filtered(
    '/traces/$id',
    load(() => import('./pages/traces/trace.tsx'), 'TracePage'),
    textSearch('span'),
  ),
  filtered(
    '/registry',
    load(() => import('./pages/registry/registry.tsx'), 'RegistryPage'),
    textSearch('text', 'kind', 'team'),
  ),
  filtered(
    '/registry/$kind/new',
    load(() => import('./pages/registry/new-asset.tsx'), 'NewAssetPage'),
    textSearch('of'),
  ),
  filtered(
    '/registry/$kind/$name',
    load(() => import('./pages/registry/asset.tsx'), 'AssetPage'),
    textSearch('version'),
  ),
  filtered(
    '/approvals',
    load(() => import('./pages/approvals/approvals.tsx'), 'ApprovalsPage'),
    textSearch('status', 'asset'),
  ),
  filtered(
    '/approvals/$id',
    load(() => import('./pages/approvals/review.tsx'), 'ReviewPage'),
    textSearch('part', 'file'),
  ),
  page(
    '/teams',
    load(() => import('./pages/teams/teams.tsx'), 'TeamsPage'),
  ),
  page(
    '/teams/$team',
    load(() => import('./pages/teams/team.tsx'), 'TeamPage'),
  ),
  filtered(
    '/teams/$team/budget',
    load(() => import('./pages/teams/team-budget.tsx'), 'TeamBudgetPage'),
    textSearch('of'),
  ),
  filtered(
    '/users',
    load(() => import('./pages/users/users.tsx'), 'UsersPage'),
    textSearch('text', 'role', 'new'),
  ),
  page(
    '/users/$id',
    load(() => import('./pages/users/user.tsx'), 'UserPage'),
  ),
  filtered(
    '/groups',
    load(() => import('./pages/groups/groups.tsx'), 'GroupsPage'),
    textSearch('team'),
  ),
  page(
    '/groups/$id',
    load(() => import('./pages/groups/group.tsx'), 'GroupPage'),
  ),
  filtered(
    '/service-principals',
    load(() => import('./pages/principals/principals.tsx'), 'PrincipalsPage'),
    textSearch('team'),
  ),
  page(
    '/service-principals/$id',
    load(() => import('./pages/principals/principal.tsx'), 'PrincipalPage'),
  ),
  filtered(
    '/keys',
    load(() => import('./pages/keys/keys.tsx'), 'KeysPage'),
    textSearch('scope', 'team', 'all', 'new'),
  ),
  page(
    '/keys/$id',
    load(() => import('./pages/keys/key.tsx'), 'KeyPage'),
  ),
  filtered(
    '/costs',
    load(() => import('./pages/costs/costs.tsx'), 'CostsPage'),
    textSearch('by', 'since', 'team', 'agent', 'model'),
  ),
  page(
    '/budgets',
    load(() => import('./pages/costs/budgets.tsx'), 'BudgetsPage'),
  ),
  filtered(
    '/audit',
    load(() => import('./pages/audit/audit.tsx'), 'AuditPage'),
    textSearch('asset', 'user', 'action', 'outcome', 'since', 'until', 'follow'),
  ),
  page(
    '/audit/$chain/$seq',
    load(() => import('./pages/audit/entry.tsx'), 'EntryPage'),
  ),
  page(
    '/audit/verify',
    load(() => import('./pages/audit/verify.tsx'), 'VerifyPage'),
  ),
  page(
    '/organisation',
    load(() => import('./pages/organisation/settings.tsx'), 'SettingsPage'),
  ),
  page(
    '/webhooks',
    load(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
  ),
  filtered(
    '/webhooks/$name',
    load(() => import('./pages/webhooks/webhook.tsx'), 'WebhookPage'),
    textSearch('state'),
  ),
  filtered(
    '/models',
    load(() => import('./pages/models/models.tsx'), 'ModelsPage'),
    textSearch('team'),
  ),
  page(
    '/models/$name',
    load(() => import('./pages/models/model.tsx'), 'ModelPage'),
  ),
  page(
    '/doctor',
    load(() => import('./pages/organisation/doctor.tsx'), 'DoctorPage'),
  ),
  filtered(
    '/notifications',
    load(() => import('./pages/home/notifications.tsx'), 'NotificationsPage'),
    textSearch('unread'),
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
