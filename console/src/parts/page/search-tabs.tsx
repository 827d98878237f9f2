// Parts of a page that one chooses between, in the address. Without a choice, the first one is shown, or the one that the page names.
import { Link, useSearch, type LinkProps } from '@tanstack/react-router';
import { useActiveTabInView } from './active-tab.ts';

interface SearchTab {
  value: string;
  label: string;
  /** How much it has. */
  count?: number | undefined;
}

/** The chosen one of `tabs`. */
export function useSearchTab<Value extends string>(
  name: string,
  tabs: readonly { value: Value }[],
  first?: NoInfer<Value>,
): Value {
  const chosen = useSearch({ strict: false })[name as never];
  const tab = tabs.find(({ value }) => value === chosen) ?? tabs.find(({ value }) => value === first) ?? tabs[0];
  if (tab === undefined) throw new Error('there are no tabs');
  return tab.value;
}

interface SearchTabsProps {
  name: string;
  label: string;
  tabs: readonly SearchTab[];
  /** Shown without a choice; the first of `tabs` when absent. */
  first?: string;
}

export function SearchTabs({ name, label, tabs, first }: SearchTabsProps) {
  const chosen = useSearchTab(name, tabs, first);
  return (
    <nav
      ref={useActiveTabInView()}
      aria-label={label}
      className="relative -mx-2 mb-4 flex overflow-x-auto border-b border-line"
    >
      {tabs.map(({ value, label, count }, index) => (
        <Link
          key={value}
          {...({
            to: '.',
            search: (before: object) => ({ ...before, [name]: index === 0 && first === undefined ? undefined : value }),
          } as LinkProps)}
          replace
          resetScroll={false}
          activeProps={{}}
          aria-current={value === chosen ? 'page' : undefined}
          className={`-mb-px border-b-2 px-2 pb-2 whitespace-nowrap hover:text-text ${value === chosen ? 'border-accent text-text' : 'border-transparent text-quiet'}`}
        >
          {label}
          {count !== undefined && <span className="ml-1.5 text-meta text-quiet">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
