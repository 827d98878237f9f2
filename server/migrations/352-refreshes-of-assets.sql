-- Owner: runs. The last refresh of a knowledge base says when the next one is due.
create index run_refreshes on run (mutex, created_at) where kind = 'refresh';
