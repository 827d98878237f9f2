// The outgoing connections of an agent's container. The organisation's setting and `deploy.egress` decide them when a container is made. A later
// change of the setting does not change the container, and the status of the agent shows the difference. The next deploy follows the setting.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { egressOf } from '@gantry/project/agent-yaml/egress.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Settings } from '../../people/principals/find.ts';
import type { TargetName } from './parts.ts';
import type { Targets } from './targets/index.ts';
import { notLimited } from './targets/not-limited.ts';
import type { SecretFiles } from './targets/target.ts';

type Setting = Pick<Settings, 'agent_egress'>;

/** Throws `egress_refused`. */
export function refuseEgress(setting: Setting, config: AgentConfig): void {
  const detail = whyEgressRefused(setting, config);
  if (detail === undefined) return;
  throw new Problem('egress_refused', {
    detail,
    hint: 'Remove `deploy.egress`, or ask an admin: svc org set agent_egress listed',
    errors: [{ pointer: '/deploy/egress', message: detail }],
  });
}

export function whyEgressRefused({ agent_egress }: Setting, { deploy }: AgentConfig): string | undefined {
  if (agent_egress !== 'gateway_only' || (deploy?.egress ?? []).length === 0) return undefined;
  return '`deploy.egress`: agents of this organisation reach only the model gateway (agent_egress is gateway_only).';
}

/** Throws `egress_not_enforced` for a limited agent on a target that limits nothing. */
export async function refuseUnlimited(targets: Targets, wanted: Unlimited): Promise<void> {
  if (await isUnlimited(targets, wanted)) throw notLimited();
}

export async function isUnlimited(targets: Targets, { setting, config, target }: Unlimited): Promise<boolean> {
  if (egressOf(setting, config) === undefined || !(await targets.names()).includes(target)) return false;
  return (await targets.find(target)).limits_egress === false;
}

interface Unlimited {
  setting: Setting;
  config: AgentConfig;
  target: TargetName;
}

/** A budget and guardrails apply to calls through the gateway, and an agent without limits can call a model past it. */
export function whyUnguarded(
  setting: Setting,
  config: AgentConfig,
  { hasBudget, hasGuardrails }: { hasBudget: boolean; hasGuardrails: boolean },
): string | undefined {
  const guards = [...(hasBudget ? ['its budget'] : []), ...(hasGuardrails ? ['guardrails'] : [])];
  if (guards.length === 0 || egressOf(setting, config) !== undefined) return undefined;
  return `The agent reaches the whole internet, and ${guards.join(' and ')} ${guards.length === 1 && hasBudget ? 'limits' : 'limit'} only its calls through the gateway: list its destinations in \`deploy.egress\`.`;
}

/** Why a container that was made with `made` does not follow the present setting. */
export function whyOutsideSetting(
  setting: Setting,
  config: AgentConfig,
  { made, ref }: { made: readonly string[] | undefined; ref: string },
): string | null {
  const wanted = egressOf(setting, config);
  if (JSON.stringify(made) === JSON.stringify(wanted)) return null;
  const reached =
    made === undefined ? 'the whole internet' : made.length === 0 ? 'only the model gateway' : made.join(', ');
  const next = whyEgressRefused(setting, config) === undefined ? '' : ' without `deploy.egress`';
  return `It was deployed under another setting and reaches ${reached}; agent_egress is ${setting.agent_egress} now. Deploy it again${next}: svc deploy ${ref} --force`;
}

/** The variables by which HTTP clients find the proxy. The gateway on the same network needs none, nor does a `direct` host. */
export function proxyVariables(proxy_url: string, direct_hosts: readonly string[] = []): SecretFiles {
  const direct = [...new Set(['localhost', '127.0.0.1', new URL(proxy_url).hostname, ...direct_hosts])].join(',');
  const variables: SecretFiles = {
    HTTP_PROXY: proxy_url,
    HTTPS_PROXY: proxy_url,
    ALL_PROXY: proxy_url,
    NO_PROXY: direct,
  };
  const entries = Object.entries(variables);
  return Object.fromEntries([...entries, ...entries.map(([name, value]) => [name.toLowerCase(), value] as const)]);
}
