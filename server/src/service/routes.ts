import { openapi } from '@gantry/contract/openapi.ts';
import { agentJsonSchema } from '@gantry/project/agent-yaml.ts';
import { assetConfigJsonSchema } from '@gantry/project/asset-config.ts';
import { authorize } from '../governance/access/authorize.ts';
import { theOrg } from '../governance/access/subject.ts';
import type { Handlers, SurfaceHandlers } from '../governance/http/handlers.ts';
import type { OrgCheckLine } from './check-org.ts';
import type { Check } from './doctor.ts';
import { inspect } from './doctor.ts';
import { readMetrics } from './read-metrics.ts';

export interface ServiceParts {
  base_url: () => string;
  version: string;
  checks: readonly Check[];
  orgCheck: () => Promise<OrgCheckLine[]>;
}

export function serviceRoutes({
  base_url,
  version,
  checks,
  orgCheck,
}: ServiceParts): Omit<Handlers<'service'>, keyof SurfaceHandlers<'probes'>> & Pick<Handlers<'org'>, 'org.check'> {
  return {
    'service.openapi': async () => openapi(base_url(), version),
    'service.agent_schema': async () => agentJsonSchema(),
    'service.asset_schema': async ({ params }) => assetConfigJsonSchema(params.kind),
    'service.doctor': async ({ caller, signal }) => {
      authorize(caller, 'service.inspect', theOrg);
      return await inspect(checks, signal);
    },
    'org.check': async ({ caller }) => {
      authorize(caller, 'org.check', theOrg);
      return { lines: await orgCheck() };
    },
  };
}

/** `ready` returns the warnings. */
export function probeRoutes(
  ready: () => Promise<string[]>,
  metrics: { token: string | undefined; print: () => string },
): SurfaceHandlers<'probes'> {
  return {
    'service.metrics': async ({ headers }) => await Promise.resolve(readMetrics(metrics, headers)),
    'service.livez': async () => await Promise.resolve({ status: 'ok' }),
    'service.readyz': async () => ({ status: 'ready', warnings: await ready() }),
  };
}
