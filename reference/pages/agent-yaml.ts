import { agentJsonSchema, agentYamlExample, fieldsInEffect } from '@gantry/project/agent-yaml.ts';
import type { FieldEffect } from '@gantry/project/agent-yaml/fields-in-effect.ts';
import { table, type Page } from '../page.ts';

const state = {
  'in effect': 'in effect',
  listed: 'accepted, not in effect yet',
};

/** Every field, and its effect today. */
export function agentYamlPage(): Page {
  const required = (agentJsonSchema() as { required: string[] }).required.map((field) => `\`${field}\``).join(', ');
  return {
    file: 'agent-yaml.md',
    text: `# agent.yaml

Required: ${required}. The running service offers the JSON Schema for editors at \`/api/v1/schemas/agent.json\`; \`svc init\` writes the line that points to it.

${fieldTable(fieldsInEffect)}

A file that uses every field:

\`\`\`yaml
${agentYamlExample.trim()}
\`\`\`
`,
  };
}

export function fieldTable(fields: readonly FieldEffect[]): string {
  const rows = fields.map(({ field, state: now, sentence, values, with: beside }) => {
    const named = (values ?? []).map((value) => `\`${value}\``).join(', ');
    const about = named === '' ? '' : ` (${named})`;
    const with_ = beside === undefined ? '' : ` (with \`${beside.field}: ${beside.value}\`)`;
    return [`\`${field}\`${about}${with_}`, state[now], sentence];
  });
  return table(['field', 'today', 'effect'], rows);
}
