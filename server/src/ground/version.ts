import about from '../../package.json' with { type: 'json' };

/** The version of this program, from its package. */
export const version: string = about.version;
