// Failing tests of rules as findings, each at its line.
import { parseAnyRef } from '@gantry/contract/refs.ts';
import { registry_server } from '@gantry/contract/assets/tools.ts';
import type { AgentConfig } from '../agent-yaml/config.ts';
import type { Finding } from '../finding.ts';
import { readYaml } from '../read-yaml.ts';
import type { CallPolicy } from './config.ts';
import { runRuleTests, type Decide, type RuleTestResult } from './run-tests.ts';

interface Placed {
  policy: CallPolicy;
  /** JSON pointer. */
  at: string;
  /** The name of the server. */
  server: string;
}

/** Of an agent.yaml: one policy for each of its servers and tools that has one. */
export function policiesOfAgent({
  mcp_servers = [],
  tools = [],
}: Pick<AgentConfig, 'mcp_servers' | 'tools'>): Placed[] {
  const ofServers = mcp_servers.map((entry, index) => {
    return { entry, at: `/mcp_servers/${index}`, server: parseAnyRef(entry.ref)?.name ?? '' };
  });
  const ofTools = tools.map((entry, index) => ({ entry, at: `/tools/${index}`, server: registry_server }));
  return [...ofServers, ...ofTools].flatMap(({ entry, at, server }) =>
    'rule_tests' in entry ? [{ policy: entry, at, server }] : [],
  );
}

export async function runAll(placed: readonly Placed[], decide?: Decide): Promise<RuleTestResult[]> {
  const results: RuleTestResult[] = [];
  for (const { policy, at, server } of placed)
    results.push(...(await runRuleTests(policy, { at, server, ...(decide !== undefined && { decide }) })));
  return results;
}

/** Of the failing ones. `text` is the file's. */
export function findingsOf(
  results: readonly RuleTestResult[],
  { text, file }: { text: string; file: string },
): Finding[] {
  const failed = results.filter(({ passed }) => !passed);
  if (failed.length === 0) return [];
  const source = readYaml(text, file);
  return failed.map(({ pointer, message }) =>
    source.finding('rule_test_failed', source.places.get(pointer)?.value[0] ?? 0, `A test of rules fails: ${message}`, {
      pointer,
    }),
  );
}
