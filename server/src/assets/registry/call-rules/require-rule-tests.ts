// The tests beside rules run before a config is stored.
import { registry_server } from '@gantry/contract/assets/tools.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { CallPolicy } from '@gantry/project/call-rules/config.ts';
import { findingsOf, policiesOfAgent, runAll } from '@gantry/project/call-rules/test-findings.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { RuleThread } from './rule-thread.ts';

interface Configured {
  kind: AssetKind;
  name: string;
  config: Record<string, unknown>;
}

/** Throws `invalid` with each failing test. A config of another kind has none. */
export async function requireRuleTests(
  thread: RuleThread,
  user: SignedInCaller,
  { kind, name, config }: Configured,
): Promise<void> {
  if (kind !== 'mcp-server' && kind !== 'tool') return;
  const policy: CallPolicy = config; // parsed as this kind
  const results = await runAll(
    [{ policy, at: '', server: kind === 'tool' ? registry_server : name }],
    chargedTo(thread, user),
  );
  const failed = results.filter(({ passed }) => !passed);
  const [first] = failed;
  if (first === undefined) return;
  throw new Problem('invalid', {
    detail: `A test of rules fails: ${first.message}.`,
    errors: failed.map(({ pointer, message }) => ({ pointer: `/config${pointer}`, message })),
  });
}

/** Throws `project_invalid` with each failing test, at its line. */
export async function requireAgentRuleTests(
  thread: RuleThread,
  user: SignedInCaller,
  { config, yaml }: { config: AgentConfig; yaml: Uint8Array | undefined },
): Promise<void> {
  const results = await runAll(policiesOfAgent(config), chargedTo(thread, user));
  const findings = findingsOf(results, { text: Buffer.from(yaml ?? []).toString(), file: 'agent.yaml' });
  const [first] = findings;
  if (first === undefined) return;
  throw new Problem('project_invalid', {
    detail: `agent.yaml:${first.line}:${first.column}: ${first.message}.`,
    errors: findings.map((finding) => ({ ...finding })),
  });
}

const chargedTo =
  (thread: RuleThread, { id }: SignedInCaller) =>
  async (...[policies, facts]: Parameters<Parameters<typeof runAll>[1] & {}>) =>
    await thread.decide({ policies, facts, charged_to: id });
