// The refusals about threads and items that the service keeps. problems.ts has all of them.
export const memoryProblems = {
  thread_busy: {
    status: 409,
    title: 'Another call works on this thread',
    hint: 'Try again when it has ended.',
  },
  no_thread: { status: 422, title: 'The call has no thread', hint: 'Call the agent with a `thread_id`.' },
  answered_already: {
    status: 409,
    title: 'Somebody else has answered, or the thread has gone on',
    hint: 'Run `svc inbox` to see what waits now.',
  },
  answer_refused: {
    status: 422,
    title: 'The answer does not fit the question',
    hint: 'Read what it asks: `svc inbox`. It waits until an answer fits.',
  },
  not_answered: {
    status: 501,
    title: "This part of langgraph's API is not answered here",
    hint: 'docs/guide/langgraph-sdk.md lists what is.',
  },
  version_not_serving: {
    status: 409,
    title: 'This version of the agent does not serve',
    hint: 'Name the agent without a version: the version that serves answers.',
  },
  nothing_waits: { status: 409, title: 'This thread waits for nobody', hint: 'Run `svc inbox` to see what waits.' },
  memory_full: {
    status: 409,
    title: 'The agent keeps too much for this caller',
    hint: 'Delete threads: `svc threads list <agent>`, then `svc threads delete`.',
  },
  memory_damaged: {
    status: 500,
    title: 'What is stored of this thread cannot be opened',
    hint: 'Its rows were changed outside of the service. Restore them, or delete the thread.',
  },
} as const;
