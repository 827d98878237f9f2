// Ends the process that reads a repository when it needs too much memory, or when the service is gone. The main thread cannot: it may be busy without an end.
import { most_memory_bytes } from './limits.ts';

const look_every_ms = 20;
const service = process.ppid;

setInterval(() => {
  if (process.memoryUsage.rss() > most_memory_bytes || process.ppid !== service) process.kill(process.pid, 'SIGKILL');
}, look_every_ms);
