const mb = 1024 * 1024;

export const most_pack_bytes = 200 * mb;
/** All names of branches and tags. */
export const most_refs_bytes = 32 * mb;
/** Of the process that reads a repository. */
export const most_memory_bytes = 1024 * mb;
/** From the first request until the list of files. */
export const open_ms = 600_000;
export const start_ms = 20_000;
export const read_ms = 60_000;
