/** The log is not what was signed before: nothing more is signed until somebody has looked (`svc audit verify`). */
export class Mismatch extends Error {}
