/** The log does not match its checkpoints. Signing stops until an operator has checked it (`svc audit verify`). */
export class Mismatch extends Error {}
