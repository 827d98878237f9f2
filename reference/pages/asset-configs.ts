import { assetConfigJsonSchema } from '@gantry/project/asset-config.ts';
import { configuredKinds, type ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { table, type Page } from '../page.ts';

/** The fields of each kind's config. */
export function assetConfigsPage(): Page {
  return {
    file: 'asset-configs.md',
    text: `# Configs of assets

The configs for \`svc registry <kind> create --file\`, as YAML or JSON. An unlisted field is refused. A config names its secrets and never contains them: a value that looks like a secret is refused. The service stores, versions, checks and pins these configs. [agent.yaml](agent-yaml.md) says which of them are in effect for running agents. The running service offers each JSON Schema for editors at \`/api/v1/schemas/assets/<kind>\`.

An orchestration has [a page of its own](orchestration-yaml.md).

${configuredKinds
  .filter((kind) => kind !== 'orchestration')
  .map(section)
  .join('\n')}`,
  };
}

interface Shape {
  description?: string;
  default?: unknown;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  additionalProperties?: unknown;
}

function section(kind: ConfiguredKind): string {
  // The JSON Schema from zod; a test of the schemas requires a description for every field.
  const rows = fields(assetConfigJsonSchema(kind) as Shape, '');
  return `## ${kind}\n\n${table(['field', 'default', 'meaning'], rows)}\n`;
}

function fields({ properties = {}, required = [] }: Shape, before: string): string[][] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const unset = shape.default === undefined ? '' : `\`${JSON.stringify(shape.default)}\``;
    // A map of arbitrary fields, such as a JSON Schema, has no fields to list.
    const below = [shape, shape.items].find(
      (one) => one?.additionalProperties === false && one.properties !== undefined,
    );
    const step = below === shape ? '.' : '[].';
    return [
      [`\`${before}${name}\``, required.includes(name) ? 'required' : unset, shape.description ?? ''],
      ...(below === undefined ? [] : fields(below, `${before}${name}${step}`)),
    ];
  });
}
