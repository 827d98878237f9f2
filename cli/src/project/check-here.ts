import { checkProject, type CheckedProject } from '@gantry/project/agent-project.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { CliRefusal } from '../refusal.ts';
import type { LocalProject } from './read-project.ts';

/** The server's own check, before anything is sent. Its refusal has every fault. */
export function checkHere(project: LocalProject): CheckedProject & { config: AgentConfig } {
  const checked = checkProject(project);
  const { config, deployable, findings } = checked;
  if (deployable && config !== undefined) return { ...checked, config };
  const faults = findings.filter(({ severity }) => severity === 'error');
  throw new CliRefusal(
    'project_invalid',
    `The project has faults that prevent a deploy: ${faults.length === 1 ? 'one fault' : `${faults.length} faults`}`,
    {
      hint: 'Fix them; `svc validate` checks again.',
      faults,
    },
  );
}
