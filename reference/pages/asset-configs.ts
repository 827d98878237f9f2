import { assetConfigJsonSchema } from '@gantry/contract/asset-config.ts';
import { configuredKinds, type ConfiguredKind } from '@gantry/contract/asset-kinds.ts';
import { table, type Page } from '../page.ts';

/** The form of each kind's config. */
export function assetConfigsPage(): Page {
  return {
    file: 'asset-configs.md',
    text: `# Configs of assets

What \`svc registry <kind> create --file\` takes, as YAML or JSON. A field that is not listed is refused. Secrets are named, never held: a value that looks like one is refused. Today the service keeps, versions, checks and pins what stands here; what connects a running agent to it comes with the features that [agent.yaml](agent-yaml.md) lists as not in effect. The running service offers each form as JSON Schema for editors at \`/api/v1/schemas/assets/<kind>\`.

${configuredKinds.map(section).join('\n')}`,
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
  // What zod makes of a schema; a test of the schemas holds every field to having a description.
  const rows = fields(assetConfigJsonSchema(kind) as Shape, '');
  return `## ${kind}\n\n${table(['field', 'unset', 'what it is'], rows)}\n`;
}

function fields({ properties = {}, required = [] }: Shape, before: string): string[][] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const unset = shape.default === undefined ? '' : `\`${JSON.stringify(shape.default)}\``;
    // A map that takes any field, as a JSON Schema does, is not ours to list.
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
