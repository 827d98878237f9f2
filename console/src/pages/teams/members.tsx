import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { roles, type Role } from '@gantry/contract/roles.ts';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../parts/action/button.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { Empty } from '../../parts/page/page.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { AssetsTo } from '../people/assets-to.tsx';

export type TeamDetail = Answer<Endpoints['teams.show']>;
export type Team = Omit<TeamDetail, 'can'>;
type Member = Team['members'][number];

export const emailOf = ({ principal }: Member) => principal.replace(/^user:/, '');

export function Members({ team: { name: team, members, can } }: { team: TeamDetail }) {
  const [leaving, setLeaving] = useState<Member>();
  const change = useSend('teams.add_member', {
    changes: ['users', 'auth'],
    says: (_, { body }) => `${body.principal} is ${body.role} in team ${team}`,
  });
  const setRole = (member: Member, role: Role) => {
    change.mutate({ params: { team }, body: { principal: member.principal, role } });
  };
  const navigate = useNavigate();
  const openBudget = (member: Member) =>
    void navigate({ to: '/teams/$team/budget', params: { team }, search: { of: emailOf(member) } });
  return (
    <>
      <List
        label="Members"
        rows={members}
        keyOf={({ principal }) => principal}
        columns={columnsOf(can, setRole, setLeaving, openBudget)}
        empty={<Empty>Nobody is in this team. Add the first member with the button above.</Empty>}
      />
      {leaving !== undefined && <Remove team={team} member={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  );
}

function columnsOf(
  can: TeamDetail['can'],
  setRole: (member: Member, role: Role) => void,
  remove: (member: Member) => void,
  openBudget: (member: Member) => void,
): Column<Member>[] {
  const add = can['teams.add_member'];
  const leave = can['teams.remove_member'];
  const budget = can['budgets.show'];
  return [
    { header: 'Member', width: 'minmax(0,1fr)', cell: emailOf },
    {
      header: 'Role',
      width: '140px',
      cell: (member) => (
        <span className="flex items-center justify-between">
          {member.role}
          <Menu trigger={<IconButton label={`Change ${emailOf(member)}`} icon={<Ellipsis size={16} />} />}>
            {roles
              .filter((role) => role !== member.role)
              .map((role) => (
                <MenuItem key={role} {...(add && { can: add })} onPress={() => setRole(member, role)}>
                  Make {role}
                </MenuItem>
              ))}
            <MenuLine />
            <MenuItem {...(budget && { can: budget })} onPress={() => openBudget(member)}>
              Budget
            </MenuItem>
            <MenuItem {...(leave && { can: leave })} isDanger onPress={() => remove(member)}>
              Remove from the team…
            </MenuItem>
          </Menu>
        </span>
      ),
    },
  ];
}

function Remove({ team, member, onClose }: { team: string; member: Member; onClose: () => void }) {
  const { principal, role } = member;
  const remove = useSend('teams.remove_member', {
    changes: ['users', 'auth', 'groups', 'keys'],
    says: () => `${emailOf(member)} left team ${team}`,
    undo: async () => await send('teams.add_member', { params: { team }, body: { principal, role } }),
  });
  return (
    <Confirm
      title={`Remove ${emailOf(member)} from ${team}`}
      about="Their keys of this team end, and they leave its groups. Their account stays."
      send="Remove from the team"
      sending={remove}
      onClose={onClose}
      onSend={({ assets_to }) =>
        remove.mutate({ params: { team, principal }, query: assets_to ? { assets_to } : {} }, { onSuccess: onClose })
      }
    >
      <AssetsTo where={`in team ${team}`} />
    </Confirm>
  );
}
