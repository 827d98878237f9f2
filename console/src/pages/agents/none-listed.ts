/** Only a platform admin's list has every agent. */
export const noneListed = (isAdmin: boolean): string =>
  isAdmin
    ? 'No agent is here yet. An agent is a folder with agent.py, a dependency file and agent.yaml.'
    : 'No agent is listed for you. The list has the agents of your teams, and those that were published or granted to you.';
