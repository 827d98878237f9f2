/** A call that takes longer is answered with 202. Other calls take less on a busy machine. */
export const sync_budget_seconds = 12;
/** An agent that starts on a busy machine needs less. */
export const start_deadline_seconds = 40;
