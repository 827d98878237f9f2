import type { RunBody } from '@gantry/contract/agents/langgraph/runs.ts';

/** A client may come back to the stream of such a run. */
export const keepsParts = ({ stream_resumable, on_disconnect }: Pick<RunBody, 'stream_resumable' | 'on_disconnect'>) =>
  stream_resumable === true || on_disconnect === 'continue';
