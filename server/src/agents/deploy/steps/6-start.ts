// Step 6: all instances answer. No call reaches them yet.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { DeployRun } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';
import { startContainer } from '../start-container.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { readyThreads } from './ready-threads.ts';
import type { ProvisionedInstance } from './5-provision.ts';
import { readKeptMemory } from '../read-description.ts';
import { memoryNotices } from '../revision-memory.ts';
import { exampleInput } from './example-input.ts';
import { readyNotices } from './ready-notices.ts';

interface StartInput {
  config: AgentConfig;
  instances: readonly ProvisionedInstance[];
  key_id: string;
  signal: AbortSignal;
}

export interface StartedInstance extends ProvisionedInstance {
  url: string;
}

export async function start(parts: DeployParts, run: DeployRun, { config, instances, key_id, signal }: StartInput) {
  const target = await parts.targets.find(run.input.target);
  const { agent_id, digest } = run.input;
  const raised = await Promise.all(
    instances.map(async ({ place, ...instance }) => {
      const { url, ready } = await startContainer(parts, target, {
        instance_id: instance.id,
        revision_id: run.id,
        agent_id,
        digest,
        config,
        place,
        key_id,
        signal,
      });
      return { started: { ...instance, place, url }, ready };
    }),
  );
  const ready = raised[0]?.ready ?? {};
  refuseLocalThreads(ready, config);
  const memory = readKeptMemory(ready);
  const notices = [...readyNotices(ready), ...(await memoryNotices(parts.db, { digest, said: memory }))];
  for (const notice of notices) run.notice(notice);
  return {
    started: raised.map(({ started }) => started),
    memory,
    example_input: exampleInput(ready),
  };
}

// Each instance would know only the threads of its own calls.
function refuseLocalThreads(ready: object, config: AgentConfig): void {
  const said = readyThreads(ready);
  const { min, max } = scalingOf(config);
  if (said?.threads !== 'memory' || (max === 1 && min === 1)) return;
  throw new Problem('threads_in_container', {
    detail: `The agent keeps its threads in its container (${said.threads_by ?? 'its own memory'}), and \`deploy.scaling\` allows other numbers of containers than one.`,
    hint: 'Keep the threads in a database, or set `deploy.scaling` to `{min: 1, max: 1}`.',
  });
}
