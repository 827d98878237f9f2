import type { EndpointName } from '@gantry/contract/endpoints.ts';

/**
 * Their handlers wait for something else than this process and its database: an agent, a provider, the engine, an upload, or their own fair
 * slots. From their first wait on they hold no place (work-places.ts). Each other handler holds its place until the answer. Calls of models
 * give it back themselves, for the ledger and the provider.
 */
export const endpointsThatWait: ReadonlySet<EndpointName> = new Set([
  'a2a.cancel',
  'a2a.card',
  'a2a.rpc',
  'a2a.send',
  'a2a.stream',
  'a2a.subscribe',
  'a2a.watch',
  'agents.logs',
  'agents.push',
  'agents.set_target',
  'agents.status',
  'auth.browser_session',
  'auth.login',
  'deployments.plan',
  'invoke.call',
  'invoke.cancel',
  'invoke.health',
  'invoke.input',
  'invoke.stream',
  'langgraph.cancel',
  'langgraph.create_run',
  'langgraph.create_run_alone',
  'langgraph.schemas',
  'langgraph.stream',
  'langgraph.stream_alone',
  'langgraph.wait',
  'langgraph.wait_alone',
  'models.test',
  'orchestrate.call',
  'orchestrate.stream',
  'orchestrate_a2a.cancel',
  'orchestrate_a2a.rpc',
  'orchestrate_a2a.send',
  'orchestrate_a2a.stream',
  'orchestrate_a2a.subscribe',
  'orchestrate_a2a.watch',
  'service.doctor',
  'webhooks.test',
]);
