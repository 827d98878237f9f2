/** The time for the runs of a stopping container. */
export const runs_grace_seconds = 8;

/** The time before a container is killed. After the runs' time, the wrapper needs up to 6 s to report their ends. */
export const stopGraceSeconds = runs_grace_seconds + 7;
