import { Problem } from '@gantry/contract/problems.ts';

/** For an agent whose outgoing connections are limited, on a target that limits none. */
export const notLimited = (): Problem =>
  new Problem('egress_not_enforced', {
    detail: 'Outgoing connections are limited for this agent, and nothing limits them on this target.',
    hint: 'Deploy it to local. Or remove `deploy.egress`, and ask an admin: svc org set agent_egress open',
  });
