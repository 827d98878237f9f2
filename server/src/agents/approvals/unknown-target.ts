import { nearest } from '@gantry/contract/nearest.ts';

/** Names the nearest target and all targets of the service. Undefined for one of them. */
export function whyUnknownTarget(target: string, targets: readonly string[]): string | undefined {
  if (targets.includes(target)) return undefined;
  const meant = nearest(target, targets);
  const suggestion = meant === undefined ? '.' : `; did you mean \`${meant}\`?`;
  return `This service has no target \`${target}\`${suggestion} Its targets: ${targets.join(', ')}.`;
}
