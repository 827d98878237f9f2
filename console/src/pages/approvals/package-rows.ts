import type { Difference } from '@gantry/contract/assets/difference.ts';

/** The changed packages and the base image, as rows of a `ChangeTable`. */
export function packageRows({ base_image, dependencies }: Difference) {
  return [
    ...(base_image === null ? [] : [{ name: 'base image', ...base_image }]),
    ...dependencies.map((one) => ({ ...one, name: one.package })),
  ];
}
