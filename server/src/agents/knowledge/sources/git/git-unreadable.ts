/** Why a repository cannot be read, as the end of a sentence for people. */
export class GitUnreadable extends Error {}
