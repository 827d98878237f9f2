// The step that remembers which version of a member works in a run. This step calls nobody, so no reader sees it.

/** No member has such a name. */
export const version_step = '@version';

/** The path of the member that chose, or undefined for a step that is a call. */
export function chosenAt(path: string): string | undefined {
  return path.endsWith(`/${version_step}`) ? path.slice(0, -version_step.length - 1) : undefined;
}
