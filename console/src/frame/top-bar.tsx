import type { UserRecord } from '@gantry/contract/people/login.ts';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, Menu as MenuIcon, Search } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../parts/action/button.tsx';
import { Menu, MenuItem, MenuLine } from '../parts/action/menu.tsx';
import { chooseTheme, chosenTheme, themes } from '../parts/browser/theme.ts';
import { signOut } from './sign-out.ts';
import { TeamItems } from './team-items.tsx';

interface TopBarProps {
  user: UserRecord | undefined;
  onSearch: () => void;
  onPlaces: () => void;
}

export function TopBar({ user, onSearch, onPlaces }: TopBarProps) {
  return (
    <div className="sticky top-0 z-20 flex h-12 shrink-0 items-center gap-2 border-b border-line bg-ground px-4">
      <span className="phone:hidden">
        <IconButton label="Menu" icon={<MenuIcon size={18} />} onClick={onPlaces} />
      </span>
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 w-72 max-w-full items-center gap-2 rounded border border-line bg-raised px-2.5 text-quiet hover:border-line-strong"
      >
        <Search size={14} aria-hidden />
        <span className="truncate">Search or do</span>
        <kbd className="ml-auto font-sans text-meta max-phone:hidden">⌘K</kbd>
      </button>
      <div className="ml-auto">{user !== undefined && <UserMenu user={user} />}</div>
    </div>
  );
}

function UserMenu({ user }: { user: UserRecord }) {
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <Button look="quiet">
          {user.name} <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      <div className="px-3 py-1.5 text-meta text-quiet">
        {user.email}
        <br />
        {user.role}
      </div>
      <MenuLine />
      <ThemeItem />
      <TeamItems />
      <MenuItem onPress={() => void navigate({ to: '/connections' })}>What may act in my name</MenuItem>
      <MenuItem onPress={() => location.assign('/change-password')}>Change password</MenuItem>
      <MenuItem onPress={() => void signOut()}>Sign out</MenuItem>
    </Menu>
  );
}

/** Mounted with each opening of the menu, because ⌘K chooses a theme too. */
function ThemeItem() {
  const [theme, setTheme] = useState(chosenTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <MenuItem
      onPress={() => {
        chooseTheme(next);
        setTheme(next);
      }}
    >
      Theme: {theme}
    </MenuItem>
  );
}
