// The nouns of the API. Each is a tag of the document; its files give endpoints their tag and schemas their name.
import * as a2a from '../agents/a2a.ts';
import * as agentEvents from '../agents/agent-events.ts';
import * as approvals from '../agents/approvals.ts';
import * as audit from '../audit/audit.ts';
import * as auditStream from '../audit/audit-stream.ts';
import * as budgets from '../models/budgets.ts';
import * as can from '../can.ts';
import * as clients from '../people/clients.ts';
import * as connections from '../agents/connections.ts';
import * as costs from '../models/costs.ts';
import * as deploy from '../agents/deploy.ts';
import * as deployPlan from '../agents/deploy-plan.ts';
import * as deploymentFiles from '../agents/deployment-files.ts';
import * as difference from '../assets/difference.ts';
import * as events from '../telling/events.ts';
import * as gateway from '../models/gateway.ts';
import * as gemini from '../models/gemini.ts';
import * as guardrails from '../guardrails/report.ts';
import * as required from '../guardrails/required.ts';
import * as groups from '../people/groups.ts';
import * as home from '../telling/home.ts';
import * as invoke from '../agents/invoke.ts';
import * as keys from '../models/keys.ts';
import * as knowledge from '../agents/knowledge.ts';
import * as knowledgeHooks from '../agents/knowledge-hooks.ts';
import * as knowledgeUploads from '../agents/knowledge-uploads.ts';
import * as langgraphAssistants from '../agents/langgraph/assistants.ts';
import * as langgraphItems from '../agents/langgraph/items.ts';
import * as langgraphRuns from '../agents/langgraph/runs.ts';
import * as langgraphThreads from '../agents/langgraph/threads.ts';
import * as langgraphUnanswered from '../agents/langgraph/unanswered.ts';
import * as login from '../people/login.ts';
import * as models from '../models/models.ts';
import * as notifications from '../telling/notifications.ts';
import * as ollama from '../models/ollama.ts';
import * as orchestrations from '../agents/orchestrations.ts';
import * as org from '../people/org.ts';
import * as permissions from '../people/permissions.ts';
import * as outsideRegistry from '../assets/outside-registry.ts';
import * as principals from '../people/principals.ts';
import * as reach from '../assets/reach.ts';
import * as readingGrants from '../people/reading-grants.ts';
import * as registry from '../assets/registry.ts';
import * as runs from '../agents/runs.ts';
import * as secrets from '../assets/secrets.ts';
import * as servicePrincipals from '../people/service-principals.ts';
import * as mcp from '../agents/mcp.ts';
import * as mcpRegistry from '../assets/mcp-registry.ts';
import * as served from '../agents/served.ts';
import * as service from '../service.ts';
import * as signingKeys from '../signing-keys.ts';
import * as targetPlan from '../agents/target-plan.ts';
import * as targets from '../assets/targets.ts';
import * as threads from '../agents/threads.ts';
import * as threadShares from '../agents/thread-shares.ts';
import * as toolCalls from '../assets/tool-calls.ts';
import * as ownPrompts from '../agents/own-prompts.ts';
import * as promptTrials from '../agents/prompt-trials.ts';
import * as prompts from '../agents/prompts.ts';
import * as toolQuestions from '../assets/tool-questions.ts';
import * as tools from '../assets/tools.ts';
import * as traces from '../models/traces.ts';
import * as webhooks from '../telling/webhooks.ts';

interface Noun {
  tag: string;
  about: string;
  files: readonly object[];
}

export const nouns: readonly Noun[] = [
  { tag: 'service', about: 'The service itself: its health, its contract and its findings', files: [service] },
  { tag: 'login', about: 'Sessions and passwords', files: [login] },
  { tag: 'principals', about: 'Teams and users', files: [principals] },
  { tag: 'groups', about: 'Groups of users in a team', files: [groups] },
  { tag: 'service-principals', about: 'Programs that sign in with a key', files: [servicePrincipals] },
  { tag: 'org', about: "The organisation's settings", files: [org] },
  { tag: 'registry', about: 'Assets and their versions', files: [registry] },
  {
    tag: 'permissions',
    about: 'Access-control entries, and why a call is allowed or refused',
    files: [permissions, can],
  },
  {
    tag: 'reading-grants',
    about: 'Grants to read costs and the audit log without a role',
    files: [readingGrants],
  },
  { tag: 'approvals', about: 'Requests for approval and their decisions', files: [approvals, difference, reach] },
  { tag: 'notifications', about: "A user's notifications", files: [notifications] },
  { tag: 'secrets', about: 'Values that agents get as variables; no endpoint answers one', files: [secrets] },
  {
    tag: 'deploy',
    about: 'Deployments, and the agents that run',
    files: [deploy, deployPlan, targetPlan, deploymentFiles, agentEvents, runs],
  },
  { tag: 'invoke', about: 'Calls to agents', files: [invoke] },
  { tag: 'threads', about: 'Conversations with agents, for those whose they are', files: [threads, threadShares] },
  { tag: 'orchestrations', about: 'Orchestrations: their deploys and their runs', files: [orchestrations] },
  { tag: 'a2a', about: 'Calls to agents and orchestrations in the Agent2Agent protocol', files: [a2a] },
  {
    tag: 'langgraph',
    about: "Calls to agents in the API of langgraph's SDKs",
    files: [langgraphAssistants, langgraphThreads, langgraphRuns, langgraphItems, langgraphUnanswered],
  },
  {
    tag: 'knowledge',
    about: 'Knowledge bases and RAG indexes: refreshes, snapshots and searches',
    files: [knowledge, knowledgeHooks, knowledgeUploads],
  },
  { tag: 'mcp', about: 'Servers of the Model Context Protocol', files: [mcp, served, mcpRegistry, outsideRegistry] },
  { tag: 'keys', about: 'Gateway keys: what they may call, and what they may spend', files: [keys, budgets] },
  { tag: 'costs', about: 'What calls to models and of tools have cost', files: [costs] },
  { tag: 'guardrails', about: 'What guardrails did', files: [guardrails, required] },
  { tag: 'models', about: 'Models: their upstreams, health and prices', files: [models] },
  { tag: 'targets', about: 'Where agents run', files: [targets] },
  { tag: 'prompts', about: 'Prompts: their texts, labels, trials and examples', files: [prompts, promptTrials] },
  { tag: 'own_prompts', about: 'The prompts of an agent, at the door of the agents', files: [ownPrompts] },
  { tag: 'tools', about: 'The tools of MCP servers', files: [tools] },
  { tag: 'tool_calls', about: 'Calls of tools that wait for a person', files: [toolCalls] },
  {
    tag: 'tool_questions',
    about: 'Questions of MCP servers to the person for whom a tool is called',
    files: [toolQuestions],
  },
  { tag: 'connections', about: 'What may act in the name of the caller at MCP servers', files: [connections] },
  { tag: 'clients', about: 'Programs that act for a person, and how they sign in', files: [clients] },
  { tag: 'signing_keys', about: 'The keys that sign what others check', files: [signingKeys] },
  { tag: 'gateway', about: 'Calls to models', files: [gateway, gemini, ollama] },
  { tag: 'traces', about: 'What agents did in their runs, as spans', files: [traces] },
  { tag: 'audit', about: 'The audit log: reading, following, exporting and verifying it', files: [audit, auditStream] },
  { tag: 'home', about: 'What needs the caller, and what runs', files: [home] },
  { tag: 'events', about: 'What changes, for pages that show it', files: [events] },
  { tag: 'webhooks', about: 'Addresses that receive events', files: [webhooks] },
];

const tags = new Map(
  nouns.flatMap(
    ({ tag, files }) =>
      files
        .flatMap((file) => Object.entries(file))
        .filter(([exported]) => exported.endsWith('Endpoints'))
        .flatMap(([, endpoints]) => Object.keys(endpoints as object).map((endpoint) => [endpoint, tag] as const)), // only its keys are used
  ),
);

export function tagOf(endpoint: string): string {
  const tag = tags.get(endpoint);
  if (tag === undefined) throw new Error(`${endpoint} belongs to no noun of openapi/nouns.ts`);
  return tag;
}
