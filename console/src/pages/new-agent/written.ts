// agent.yaml as the form reads it: what a field does not hold in its own form counts as absent.
import { readYaml } from '@gantry/project/read-yaml.ts';
import { z } from 'zod';

const text = z.string().catch('');
const names = z.array(z.string()).catch([]);
const deploy = z.object({ secrets: names, env_vars: z.record(z.string(), z.string()).catch({}), egress: names });

const written = z.object({
  name: text,
  version: text,
  team: text,
  framework: text,
  entrypoint: text,
  model: z.object({ primary: text }).catch({ primary: '' }),
  deploy: deploy.catch({ secrets: [], env_vars: {}, egress: [] }),
});
export type Written = z.output<typeof written>;

/** Undefined while the text is no map in readable YAML. */
export function readWritten(yaml: string): Written | undefined {
  return written.safeParse(readYaml(yaml, 'agent.yaml').value).data;
}
