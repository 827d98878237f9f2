// What Google refuses although the description of the API allows it. Source: the documentation of Cloud Run and of labels.
import type { RevisionRequests } from './plan.ts';
import { isRunSize } from './run-size.ts';
import type { PoolTemplate } from './pool.ts';

const pool_id = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const most_characters = 49;
const longest_number = '-r9999'.length;
const label_value = /^[a-z0-9_-]{0,63}$/;
const most_value_bytes = 32_768;
/** Of a plan, before the build. */
const planned_image = '<image>';
/** Cloud Run sets these itself. */
const reserved = /^(PORT|K_.*|CLOUD_RUN_.*|X_GOOGLE_.*)$/;

/** A sentence for each broken rule. */
export function brokenRules({ description }: Pick<RevisionRequests, 'description'>): string[] {
  const { query, body } = description;
  const { workerPoolId: id } = query;
  const wrong = Object.entries(body.labels).filter(([, value]) => !label_value.test(value));
  return said([
    [
      !pool_id.test(id) || id.length + longest_number > most_characters,
      `The worker pool ${id} has other characters than small letters, digits and hyphens, or is too long.`,
    ],
    [wrong.length > 0, `Google takes no such labels: ${wrong.map((pair) => pair.join('=')).join(', ')}.`],
    ...templateRules(body.template),
  ]);
}

function templateRules({ serviceAccount, containers }: PoolTemplate): Rule[] {
  return [
    // Without one, a replica would have the account of the whole project.
    [serviceAccount === '', 'The replicas have no service account.'],
    ...containers.flatMap(({ image, env, resources: { limits } }): Rule[] => {
      const names = env.map(({ name }) => name);
      const twice = names.filter((name, at) => names.indexOf(name) !== at);
      const own = names.filter((name) => reserved.test(name));
      const large = env.filter((one) => 'value' in one && Buffer.byteLength(one.value) > most_value_bytes);
      const size = { cpu: Number(limits['cpu']), memory: Number(/^(\d+)Mi$/.exec(limits['memory'] ?? '')?.[1]) };
      return [
        [
          !/@sha256:[0-9a-f]{64}$/.test(image) && image !== planned_image,
          `The image ${image} is not named by its digest.`,
        ],
        [!isRunSize(size), `Cloud Run has no size with ${limits['cpu']} CPU and ${limits['memory']} of memory.`],
        [twice.length > 0, `The container has ${twice.join(', ')} twice.`],
        [own.length > 0, `Cloud Run sets ${own.join(', ')} itself.`],
        [large.length > 0, `Cloud Run takes ${most_value_bytes} bytes in a variable, and ${large[0]?.name} has more.`],
      ];
    }),
  ];
}

/** Whether it is broken, and its sentence. */
type Rule = readonly [boolean, string];

const said = (rules: readonly Rule[]): string[] =>
  rules.flatMap(([isBroken, sentence]) => (isBroken ? [sentence] : []));
