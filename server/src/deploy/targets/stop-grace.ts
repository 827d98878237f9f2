/** How long runs may go on in a container that is asked to end. */
export const runs_grace_seconds = 8;

/** Until a container is ended by force. Past the runs' own time the wrapper needs up to 6 s to say how each of them ended. */
export const stopGraceSeconds = runs_grace_seconds + 7;
