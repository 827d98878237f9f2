import about from '../package.json' with { type: 'json' };

/** Of this program, as its package says. */
export const version: string = about.version;
