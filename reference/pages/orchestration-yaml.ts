import { assetConfigJsonSchema } from '@gantry/project/asset-config.ts';
import { orchestrationFieldsInEffect, orchestrationYamlExample } from '@gantry/project/orchestration-yaml.ts';
import { fieldTable } from './agent-yaml.ts';
import type { Page } from '../page.ts';

/** Every field, and its effect today. */
export function orchestrationYamlPage(): Page {
  const { required = [] } = assetConfigJsonSchema('orchestration');
  return {
    file: 'orchestration-yaml.md',
    text: `# orchestration.yaml

Required: ${required.map((field) => `\`${field}\``).join(', ')}. \`agents\` maps local names to agents; a version stores them as a list in the order of the file. The running service offers the JSON Schema for editors at \`/api/v1/schemas/assets/orchestration\`.

${fieldTable(orchestrationFieldsInEffect)}

A condition of a route is text that the input contains, in any case, or one of \`{contains: <text>}\`, \`{regex: <pattern of RE2>}\` and \`{equals: <value>, at: <JSON pointer>}\`. The text \`default\` is the route of all other inputs.

A file that uses every field:

\`\`\`yaml
${orchestrationYamlExample.trim()}
\`\`\`
`,
  };
}
