import { z } from 'zod';
import { guardrailOptions } from '@gantry/contract/guardrails.ts';
import { guardrailNames, guardrailPlaces, places } from '@gantry/contract/guardrails/places.ts';
import { table, type Page } from '../page.ts';

/** Every guardrail, its places and its options. */
export function guardrailsPage(): Page {
  const rows = guardrailNames.map((name) => [
    `\`${name}\``,
    ...places.map((place) => {
      const { default: action, or } = guardrailPlaces[name][place];
      return or.length === 0 ? action : `${action} (or ${or.join(', ')})`;
    }),
  ]);
  return {
    file: 'guardrails.md',
    text: `# Guardrails

An entry of \`guardrails:\` in agent.yaml is a name, or a name with options: \`{name: pii_detection, options: {types: [email, card]}}\`. Each guardrail checks at the places of this table, with the default action or the one of its options.

${table(['guardrail', ...places], rows)}

\`ingress_in\` is the input of a call, \`model_in\` the text to a model, \`model_out\` the text from a model, \`tool_in\` the arguments of a call of a tool at the door, \`tool_out\` its result, and \`ingress_out\` the answer of a call.

How much \`pii_detection\` finds, and how often it errs: [measurements](guardrail-measurements.md), and those of [\`prompt_injection\`](injection-measurements.md). It looks into base64 and hex in the first 6,144 characters of a token. What follows in a longer token is not decoded.

${guardrailNames.map(section).join('\n')}`,
  };
}

interface Shape {
  description?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
  required?: string[];
}

function section(name: (typeof guardrailNames)[number]): string {
  // The JSON Schema from zod has these members.
  const shape = z.toJSONSchema(guardrailOptions[name], { io: 'input', target: 'draft-7' }) as Shape;
  return `## ${name}\n\n${table(['option', 'meaning'], fields(shape, ''))}\n`;
}

function fields({ properties = {} }: Shape, before: string): string[][] {
  return Object.entries(properties).flatMap(([name, shape]) => [
    [`\`${before}${name}\``, shape.description ?? ''],
    ...fields(shape, `${before}${name}.`),
    ...fields(shape.items ?? {}, `${before}${name}[].`),
  ]);
}
