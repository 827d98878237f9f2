// The whole API: one record of every operation, by name. Only these are mounted, called and documented.
import { a2aEndpoints, orchestrateA2aEndpoints } from './agents/a2a.ts';
import { approvalsEndpoints } from './agents/approvals.ts';
import { auditEndpoints } from './audit/audit.ts';
import { auditStreamEndpoints } from './audit/audit-stream.ts';
import { budgetsEndpoints } from './models/budgets.ts';
import { clientsEndpoints } from './people/clients.ts';
import { costsEndpoints } from './models/costs.ts';
import { agentEventsEndpoints } from './agents/agent-events.ts';
import { deployEndpoints } from './agents/deploy.ts';
import { deploymentFileEndpoints } from './agents/deployment-files.ts';
import type { Endpoint } from './endpoint.ts';
import { eventsEndpoints } from './telling/events.ts';
import { gatewayEndpoints } from './models/gateway.ts';
import { geminiEndpoints } from './models/gemini.ts';
import { guardrailsEndpoints } from './guardrails/report.ts';
import { groupsEndpoints } from './people/groups.ts';
import { homeEndpoints } from './telling/home.ts';
import { invokeEndpoints } from './agents/invoke.ts';
import { keysEndpoints } from './models/keys.ts';
import { knowledgeHookEndpoints } from './agents/knowledge-hooks.ts';
import { knowledgeUploadEndpoints } from './agents/knowledge-uploads.ts';
import { knowledgeEndpoints } from './agents/knowledge.ts';
import { langgraphAssistantEndpoints } from './agents/langgraph/assistants.ts';
import { langgraphItemEndpoints } from './agents/langgraph/items.ts';
import { langgraphRunEndpoints } from './agents/langgraph/runs.ts';
import { langgraphThreadEndpoints } from './agents/langgraph/threads.ts';
import { langgraphUnansweredEndpoints } from './agents/langgraph/unanswered.ts';
import { loginEndpoints } from './people/login.ts';
import { mcpEndpoints } from './agents/mcp.ts';
import { outsideRegistryEndpoints } from './assets/outside-registry.ts';
import { mcpRegistryEndpoints } from './assets/mcp-registry.ts';
import { memoryEndpoints } from './agents/memory.ts';
import { modelsEndpoints } from './models/models.ts';
import { notificationsEndpoints } from './telling/notifications.ts';
import { ollamaEndpoints } from './models/ollama.ts';
import { orchestrationsEndpoints } from './agents/orchestrations.ts';
import { orgEndpoints } from './people/org.ts';
import { permissionsEndpoints } from './people/permissions.ts';
import { principalsEndpoints } from './people/principals.ts';
import { ownPromptsEndpoints } from './agents/own-prompts.ts';
import { promptTrialEndpoints } from './agents/prompt-trials.ts';
import { promptsEndpoints } from './agents/prompts.ts';
import { readingGrantsEndpoints } from './people/reading-grants.ts';
import { registryEndpoints } from './assets/registry.ts';
import { servedEndpoints } from './agents/served.ts';
import { servicePrincipalsEndpoints } from './people/service-principals.ts';
import { secretsEndpoints } from './assets/secrets.ts';
import { serviceEndpoints } from './service.ts';
import { targetsEndpoints } from './assets/targets.ts';
import { threadSharesEndpoints } from './agents/thread-shares.ts';
import { toolCallsEndpoints } from './assets/tool-calls.ts';
import { toolQuestionsEndpoints } from './assets/tool-questions.ts';
import { signingKeysEndpoints } from './signing-keys.ts';
import { connectionsEndpoints } from './agents/connections.ts';
import { toolsEndpoints } from './assets/tools.ts';
import { threadsEndpoints } from './agents/threads.ts';
import { tracesEndpoints } from './models/traces.ts';
import { webhooksEndpoints } from './telling/webhooks.ts';

export const endpoints = {
  ...serviceEndpoints,
  ...loginEndpoints,
  ...clientsEndpoints,
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
  ...deploymentFileEndpoints,
  ...agentEventsEndpoints,
  ...invokeEndpoints,
  ...orchestrationsEndpoints,
  ...a2aEndpoints,
  ...orchestrateA2aEndpoints,
  ...threadsEndpoints,
  ...threadSharesEndpoints,
  ...memoryEndpoints,
  ...knowledgeEndpoints,
  ...knowledgeHookEndpoints,
  ...knowledgeUploadEndpoints,
  ...mcpEndpoints,
  ...servedEndpoints,
  ...mcpRegistryEndpoints,
  ...outsideRegistryEndpoints,
  ...langgraphAssistantEndpoints,
  ...langgraphThreadEndpoints,
  ...langgraphRunEndpoints,
  ...langgraphItemEndpoints,
  ...langgraphUnansweredEndpoints,
  ...keysEndpoints,
  ...budgetsEndpoints,
  ...costsEndpoints,
  ...guardrailsEndpoints,
  ...gatewayEndpoints,
  ...geminiEndpoints,
  ...ollamaEndpoints,
  ...modelsEndpoints,
  ...targetsEndpoints,
  ...promptTrialEndpoints,
  ...promptsEndpoints,
  ...ownPromptsEndpoints,
  ...toolsEndpoints,
  ...toolCallsEndpoints,
  ...toolQuestionsEndpoints,
  ...connectionsEndpoints,
  ...signingKeysEndpoints,
  ...auditEndpoints,
  ...auditStreamEndpoints,
  ...tracesEndpoints,
  ...webhooksEndpoints,
  ...homeEndpoints,
  ...eventsEndpoints,
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
