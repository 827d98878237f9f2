import { actions, isAtLeast, operations, type Action, type Role, type Rule } from '@gantry/contract/roles.ts';

/**
 * What a grant alone does not give: an action counts only with a role in the asset's team. Undefined when every action counts for
 * everybody.
 */
export function rolesBehind(granted: readonly string[]): string | undefined {
  const needed = actions.flatMap((action) => {
    const role = granted.includes(action) ? leastRole(action) : 'viewer';
    return role === 'viewer' ? [] : [`${action} only as ${role} or higher`];
  });
  return needed.length === 0 ? undefined : `It gives ${needed.join(', ')} in the team of the asset`;
}

function leastRole(action: Action): Role {
  const roles = Object.values<Rule>(operations).flatMap((rule) =>
    rule.on === 'asset' && rule.action === action ? [rule.role] : [],
  );
  return roles.reduce((least, role) => (isAtLeast(role, least) ? least : role), 'admin');
}
