// The refusals of a request that no handler of this process serves.
import { Problem } from '@gantry/contract/problems.ts';
import type { Surface } from '../surface.ts';

export function servedElsewhere({ role }: Surface): Problem {
  return new Problem('not_found', { detail: `The role ${role} serves this, at an address of its own.` });
}

export function notRouted(methods: readonly string[]): Problem {
  if (methods.length === 0) return new Problem('not_found');
  return new Problem('method_not_allowed', {
    detail: `This path allows only ${methods.join(', ')}.`,
    fields: { allowed_methods: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])) },
  });
}
