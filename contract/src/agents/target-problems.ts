// The refusals about what a target can do. problems.ts has all of them.
export const targetProblems = {
  egress_not_enforced: {
    status: 503,
    retry_after_seconds: 60,
    title: 'This machine cannot limit the outgoing connections of the agent',
    hint: 'Run the service as root with iptables installed: `svc doctor` has the reason. Or let agents reach the internet: svc org set agent_egress open',
  },
  outside_scaling: {
    status: 422,
    title: 'The approved configuration does not allow this number of containers',
    hint: 'Change `deploy.scaling` in agent.yaml, and deploy it as a new version.',
  },
  no_room: {
    status: 503,
    retry_after_seconds: 30,
    title: 'The target has no memory left for another container',
    hint: 'Stop an agent that is not needed: `svc ps` lists all.',
  },
  target_refuses: {
    status: 422,
    title: 'The target would refuse this deploy',
    hint: 'See each request: `svc deploy --plan`.',
  },
  no_policy: {
    status: 409,
    title: 'A target of this kind has no policy',
    hint: 'Test what it needs: `svc target test <name>`.',
  },
} as const;
