import { z } from 'zod';

const said = z.object({ notices: z.array(z.string().max(1000)).max(20) });

/** What an agent's /ready says about itself for people: that its threads end with the container, that it misses a store. */
export function readyNotices(ready: object): string[] {
  // The user's code shares the process with what answers here.
  const read = said.safeParse(ready);
  return read.success ? read.data.notices.map((notice) => notice.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')) : [];
}
