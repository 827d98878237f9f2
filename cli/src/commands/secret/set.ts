import { agentFlag } from '../../agent/agent-name.ts';
import { defineCommand, required } from '../../command.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { describeScope, scopeFlag } from '../../secret/find-secret.ts';
import { readValue } from '../../secret/read-value.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'secret set',
  summary: 'Set a secret of your team, or of one agent; the value comes from a hidden prompt or from stdin',
  needs: 'agent_secret.change',
  examples: ['svc secret set CRM_TOKEN --agent greeter', 'svc secret set CRM_TOKEN --team ml < token'],
  arguments: { name: required('The variable that agents get, such as CRM_TOKEN') },
  flags: { agent: agentFlag('Only for this agent; it overrides a secret of the team') },
  async run({ name, agent }, session) {
    const scope = agent === undefined ? { team: await teamToOwn(session) } : { agent };
    const value = await readValue(session, name);
    const secret = await session.call('secrets.set', { body: { name, value, ...scope } });
    const { used_by, created_at, changed_at } = secret;
    const keep = used_by.length === 0 ? '' : `; ${used_by.join(', ')} keep the previous value until the next start`;
    return {
      data: secret,
      view: [line(good('✓ '), `${name} is set for ${describeScope(secret)}${keep}`)],
      next:
        used_by.length === 0
          ? [{ command: 'svc deploy', when: `for an agent with ${name} in deploy.secrets of its agent.yaml` }]
          : [{ command: `svc secret rotate ${name} ${scopeFlag(secret)}`, when: 'to set a value and replace them' }],
      ...(created_at === changed_at ? { undo: `svc secret remove ${name} ${scopeFlag(secret)}` } : {}),
    };
  },
});
