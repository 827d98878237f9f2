-- Owner: memory. A node can ask twice at one state, so an answer belongs to a question, not only to a state.
alter table thread_turn add column expects_since timestamptz;  -- the thread waits since then, for the question that the call answers
