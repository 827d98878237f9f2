// An agent that does in its pod what a test says (e2e/agents/prober.py).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@gantry/contract/client/client.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { followed } from '../../server/src/testing/agents/host-teller.ts';
import { projectOf } from '../../server/src/testing/pushes/project-archive.ts';
import { requirements } from '../write-project.ts';

export interface Prober {
  /** `yaml` is added to its agent.yaml. Returns the reference of the version. */
  push(version: string, yaml: string): Promise<string>;
  deploy(ref: string, target: string): Promise<Deployment>;
  /** What `look()` returns in the pod. */
  inside(code: string): Promise<unknown>;
  /** The answer to one input, with its status when it is no good one. */
  say(input: { do: string; value?: unknown }): Promise<unknown>;
}

export function prober(admin: Client, name: string): Prober {
  const say: Prober['say'] = async (input) => {
    const body = Buffer.from(JSON.stringify({ input }));
    const answer = await admin.call('invoke.call', { params: { name }, body });
    const text = await answer.text();
    if (answer.status !== 200) return `${answer.status} ${text}`;
    const { output } = JSON.parse(text) as { output: { result?: unknown } };
    return output.result;
  };
  return {
    push: async (version, yaml) => {
      const files = {
        'agent.py': await readFile(join(import.meta.dirname, '../agents/prober.py'), 'utf8'),
        'requirements.txt': requirements,
      };
      const body = projectOf({ name, version, yaml, files });
      const { id, ref } = await admin.call('agents.push', { params: { name }, body });
      for await (const _ of await admin.call('pushes.events', { params: { id } }));
      return ref;
    },
    deploy: async (ref, target) =>
      await followed(admin, await admin.call('deployments.create', { body: { ref, target } })),
    inside: async (value) => await say({ do: 'run python', value }),
    say,
  };
}
