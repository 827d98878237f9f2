// Filters live in the address, so a filtered page is a link.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search as SearchIcon, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useShortcuts } from '../keys.ts';

/** For a route's `validateSearch`: these parameters, as text, and no others. */
export function textSearch<Name extends string>(...names: Name[]) {
  return (given: Record<string, unknown>): { [N in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = given[name];
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
      }),
    ) as { [N in Name]?: string };
}

export function Filters({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div role="search" className="mb-3 flex flex-wrap items-center gap-2">
      {children}
      <div className="ml-auto text-meta text-quiet">{aside}</div>
    </div>
  );
}

/** A parameter of the address, and its change. */
export function useFilter(name: string): [string, (value: string) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const value = search[name];
  const set = (next: string) =>
    void navigate({
      to: '.',
      replace: true,
      search: ((before: Record<string, unknown>) => ({ ...before, [name]: next === '' ? undefined : next })) as never,
    });
  return [typeof value === 'string' ? value : '', set];
}

const typing_ms = 200;

/** `/` focuses it. */
export function SearchFilter({ name = 'text', label }: { name?: string; label: string }) {
  const [value, set] = useFilter(name);
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => input.current?.focus() });
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => set(typed), typing_ms);
    return () => clearTimeout(timer);
  });
  return (
    <label className="relative w-64 max-phone:w-full">
      <SearchIcon size={14} aria-hidden className="absolute top-2.25 left-2.5 text-quiet" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="field pl-8 placeholder:text-quiet"
      />
    </label>
  );
}

interface ChoiceFilterProps {
  name: string;
  label: string;
  options: readonly (string | { value: string; label: string })[];
}

/** All of them, or one. */
export function ChoiceFilter({ name, label, options }: ChoiceFilterProps) {
  const [value, set] = useFilter(name);
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => set(event.target.value)}
      className={`field w-auto ${value === '' ? 'text-quiet' : 'border-accent bg-accent-soft'}`}
    >
      <option value="">{label}</option>
      {options.map((option) => {
        const { value: each, label: shown } = typeof option === 'string' ? { value: option, label: option } : option;
        return (
          <option key={each} value={each}>
            {shown.replaceAll('_', ' ')}
          </option>
        );
      })}
    </select>
  );
}

/** A filter that a link set, with a way to take it back. Nothing while it is not set. */
export function ChipFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name);
  if (value === '') return null;
  return (
    <button
      type="button"
      onClick={() => set('')}
      aria-label={`Remove the filter ${label} ${value}`}
      className="inline-flex h-8 items-center gap-1.5 rounded border border-accent bg-accent-soft px-2.5"
    >
      <span className="text-quiet">{label}</span> {value} <X size={13} aria-hidden />
    </button>
  );
}
