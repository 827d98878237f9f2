import type { CheckedProject } from '@gantry/project/agent-project.ts';
import { findingsOf, policiesOfAgent, runAll } from '@gantry/project/call-rules/test-findings.ts';
import type { LocalProject } from './read-project.ts';

/** The failing tests of rules join the findings, as at a push. */
export async function withRuleTests(checked: CheckedProject, project: LocalProject): Promise<CheckedProject> {
  const { config, deployable, findings } = checked;
  const policies = config === undefined ? [] : policiesOfAgent(config);
  if (policies.length === 0) return checked;
  const text = Buffer.from(project.read('agent.yaml')).toString();
  const failing = findingsOf(await runAll(policies), { text, file: 'agent.yaml' });
  return { ...checked, findings: [...findings, ...failing], deployable: deployable && failing.length === 0 };
}
