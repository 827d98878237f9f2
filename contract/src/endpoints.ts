// The whole API: one record of every operation, by name. Only these are mounted, called and documented.
import { a2aEndpoints, orchestrateA2aEndpoints } from './a2a.ts';
import { approvalsEndpoints } from './approvals.ts';
import { auditEndpoints } from './audit.ts';
import { auditStreamEndpoints } from './audit-stream.ts';
import { budgetsEndpoints } from './budgets.ts';
import { costsEndpoints } from './costs.ts';
import { agentEventsEndpoints } from './agent-events.ts';
import { deployEndpoints } from './deploy.ts';
import type { Endpoint } from './endpoint.ts';
import { eventsEndpoints } from './events.ts';
import { gatewayEndpoints } from './gateway.ts';
import { geminiEndpoints } from './gemini.ts';
import { guardrailsEndpoints } from './guardrails/report.ts';
import { groupsEndpoints } from './groups.ts';
import { homeEndpoints } from './home.ts';
import { invokeEndpoints } from './invoke.ts';
import { keysEndpoints } from './keys.ts';
import { loginEndpoints } from './login.ts';
import { modelsEndpoints } from './models.ts';
import { notificationsEndpoints } from './notifications.ts';
import { ollamaEndpoints } from './ollama.ts';
import { orchestrationsEndpoints } from './orchestrations.ts';
import { orgEndpoints } from './org.ts';
import { permissionsEndpoints } from './permissions.ts';
import { principalsEndpoints } from './principals.ts';
import { readingGrantsEndpoints } from './reading-grants.ts';
import { registryEndpoints } from './registry.ts';
import { servicePrincipalsEndpoints } from './service-principals.ts';
import { secretsEndpoints } from './secrets.ts';
import { serviceEndpoints } from './service.ts';
import { tracesEndpoints } from './traces.ts';
import { webhooksEndpoints } from './webhooks.ts';

export const endpoints = {
  ...serviceEndpoints,
  ...loginEndpoints,
  ...principalsEndpoints,
  ...groupsEndpoints,
  ...servicePrincipalsEndpoints,
  ...orgEndpoints,
  ...registryEndpoints,
  ...permissionsEndpoints,
  ...readingGrantsEndpoints,
  ...approvalsEndpoints,
  ...notificationsEndpoints,
  ...secretsEndpoints,
  ...deployEndpoints,
  ...agentEventsEndpoints,
  ...invokeEndpoints,
  ...orchestrationsEndpoints,
  ...a2aEndpoints,
  ...orchestrateA2aEndpoints,
  ...keysEndpoints,
  ...budgetsEndpoints,
  ...costsEndpoints,
  ...guardrailsEndpoints,
  ...gatewayEndpoints,
  ...geminiEndpoints,
  ...ollamaEndpoints,
  ...modelsEndpoints,
  ...auditEndpoints,
  ...auditStreamEndpoints,
  ...tracesEndpoints,
  ...webhooksEndpoints,
  ...homeEndpoints,
  ...eventsEndpoints,
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
