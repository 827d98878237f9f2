// @ts-check
/** The projects of vitest, in the order in which their files begin. */
export const everyday = ['e2e', 'e2e-shared', 'console', 'server', 'parts'];

/** They need the emulator of a cloud or a cluster: `npm run test:clouds`, `npm run test:kubernetes`, and `npm test -- --all`. */
export const heavy = ['clouds', 'kubernetes'];
