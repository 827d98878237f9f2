import { z } from 'zod';

const said = z.object({ notices: z.array(z.string().max(1000)).max(20) });

/** Notices for people in an agent's /ready answer, for example that its threads end with the container. */
export function readyNotices(ready: object): string[] {
  // The user's code shares the process with the wrapper, so the answer may be hostile.
  const read = said.safeParse(ready);
  return read.success ? read.data.notices.map((notice) => notice.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')) : [];
}
