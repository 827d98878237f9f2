// @ts-check
/** The projects of vitest, in the order in which their files begin. */
export const everyday = ['e2e', 'e2e-shared', 'console', 'server', 'parts'];

/** They need a cluster, or the emulator of a cloud: `npm run test:kubernetes`, `npm run test:kubernetes-stories`, `npm run test:clouds`, and `npm test -- --all`. */
export const heavy = /** @type {const} */ (['kubernetes', 'kubernetes-stories', 'clouds']);

/** A run with them is over within this time. CI ends it a little later, and then nobody reads what has failed. */
export const most_seconds = 85 * 60;

/** On one machine, for their proportion. That of a cluster includes its build. */
const usual_seconds = { everyday: 2400, kubernetes: 1700, 'kubernetes-stories': 500, clouds: 700 };

/**
 * What a heavy project needs on a machine where the everyday tests took so long.
 *
 * @param {(typeof heavy)[number]} name
 * @param {number} everyday_seconds
 */
export function neededSeconds(name, everyday_seconds) {
  return Math.round((usual_seconds[name] * everyday_seconds) / usual_seconds.everyday);
}
