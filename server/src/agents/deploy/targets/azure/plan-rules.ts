// What Azure refuses although its client sends it. Source: the documentation of Container Apps and of tags.
import { isAppSize } from './app-size.ts';
import type { ReplicaRequest } from './requests.ts';

const app_id = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const most_characters = 32;
const longest_number = '-r9999'.length;
const most_tag_characters = 256;
/** In a plan, before the build (plan-for.ts). */
const image_to_build = '<image>';
/** Container Apps sets these itself. */
const reserved = /^CONTAINER_APP_/;

/** A sentence for each broken rule. */
export function brokenRules({ name, body: { tags, properties } }: ReplicaRequest): string[] {
  const id = name.slice(name.lastIndexOf('/') + 1).replace(/-r\d+$/, '');
  const wrong = Object.entries(tags).filter(([, value]) => value.length > most_tag_characters);
  const rules = properties.template.containers.flatMap(({ image, env, resources }): Rule[] => {
    const names = env.map((one) => one.name);
    const twice = names.filter((one, at) => names.indexOf(one) !== at);
    const own = names.filter((one) => reserved.test(one));
    const memory = Number(/^([\d.]+)Gi$/.exec(resources.memory)?.[1]);
    return [
      [
        image !== image_to_build && !/@sha256:[0-9a-f]{64}$/.test(image),
        `The image ${image} is not named by its digest.`,
      ],
      [
        !isAppSize({ cpu: resources.cpu, memory }),
        `Container Apps has no size with ${resources.cpu} CPU and ${resources.memory} of memory.`,
      ],
      [twice.length > 0, `The container has ${twice.join(', ')} twice.`],
      [own.length > 0, `Container Apps sets ${own.join(', ')} itself.`],
    ];
  });
  return [
    [
      !app_id.test(id) || id.includes('--') || id.length + longest_number > most_characters,
      `The container app ${id} has other characters than small letters, digits and single hyphens, or is too long.`,
    ] as Rule,
    [wrong.length > 0, `Azure takes no such tags: ${wrong.map(([one]) => one).join(', ')}.`] as Rule,
    ...rules,
  ].flatMap(([isBroken, sentence]) => (isBroken ? [sentence] : []));
}

/** Whether it is broken, and its sentence. */
type Rule = readonly [boolean, string];
