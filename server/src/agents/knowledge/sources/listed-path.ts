import { uploadPath } from '@gantry/contract/agents/knowledge-uploads.ts';

/** A path as a source names it: others chose it. What no path may be gets its reason, and a form that can be shown. */
export function listedPath(path: string): { path: string } | { path: string; problem: string } {
  const read = uploadPath.safeParse(path);
  if (read.success) return { path };
  const shown = path
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{fffd}')
    .slice(0, 500);
  return { path: shown, problem: `its path ${read.error.issues[0]?.message ?? 'is no path'}` };
}
