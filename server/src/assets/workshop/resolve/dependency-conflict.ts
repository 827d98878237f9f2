import type { ResolverLine } from '@gantry/project/dependencies/resolver-lines.ts';
import { lockCommand, normaliseName } from '@gantry/project/requirements.ts';
import { Problem } from '@gantry/contract/problems.ts';

interface Requirer {
  /** `requirements.txt:4`, `platform`, or a package such as `crewai==1.2`. */
  source: string;
  spec: string;
}

/** Parses the resolver's text: the conflicting requirements with their sources, and a remedy for the author. */
export function dependencyConflict(o: {
  requirements: readonly ResolverLine[];
  constraints?: readonly ResolverLine[];
  platform_requirements: string[];
  resolver_text: string;
}): Problem {
  const text = o.resolver_text.replaceAll(/\s+/g, ' ');
  const missing = /(?:because |and )(\S+) was not found in the package registry/i.exec(text)?.[1];
  const mentioned = (spec: string) => isMentioned(nameOf(spec), text);
  const user = [...o.requirements, ...(o.constraints ?? [])].map(asRequirer).filter(({ spec }) => mentioned(spec));
  const platform = o.platform_requirements.filter(mentioned).map((spec) => ({ source: 'platform', spec }));
  const required_by: Requirer[] = [...user, ...platform, ...packageRequirements(text)];
  const packages = [...new Set(missing === undefined ? required_by.map(({ spec }) => nameOf(spec)) : [missing])];
  const remedy = remedyFor({ missing, user, text });
  return new Problem('dependency_conflict', {
    detail:
      missing === undefined
        ? `These cannot be installed together: ${required_by.map(({ source, spec }) => `${spec} (${source})`).join(', ')}`
        : `The package index has no package ${missing}`,
    hint: remedy,
    fields: { packages, required_by, remedy, resolver: o.resolver_text.trim() },
  });
}

function asRequirer({ line, source }: ResolverLine): Requirer {
  return { source, spec: line.replace(/\s--hash.*$/, '').trim() };
}

/** `foo==1.0 depends on bar>=2`, and uv's forms for several versions. */
function packageRequirements(text: string): Requirer[] {
  const found = [
    ...text.matchAll(
      /(?:because|and|that) (?:all versions of |only )?([a-z0-9][\w.-]*(?:[<>=!~][^\s,]*)?) depends? on ([a-z0-9][\w.-]*(?:\[[^\]]*\])?[<>=!~]\S*[\w*])/gi,
    ),
  ];
  return found.map(([, source = '', spec = '']) => ({ source, spec }));
}

function remedyFor({ missing, user, text }: { missing: string | undefined; user: Requirer[]; text: string }): string {
  const locked = relock(user);
  if (missing === undefined && locked !== undefined) return `Lock it again: ${locked}`;
  // Among several requirements, the one with an upper limit is the one to widen.
  const first = user.find(({ spec }) => /<|==|~=/.test(spec)) ?? user[0];
  const place = first === undefined ? '' : ` (${first.source})`;
  if (missing !== undefined) return `Check the spelling of \`${missing}\`${place}.`;
  if (/does not satisfy Python/.test(text))
    return `Choose a version of \`${first?.spec ?? 'the package'}\`${place} that supports the Python of the base image.`;
  if (first === undefined) return 'Add a requirement of your own that narrows the packages named below.';
  return `Widen \`${first.spec}\`${place}.`;
}

/** All locked packages in the conflict, because each of them may hold back the others. */
function relock(user: Requirer[]): string | undefined {
  const fileOf = ({ source }: Requirer) => source.replace(/:\d+$/, '');
  const lock = user.map(fileOf).find((file) => lockCommand(file, []) !== undefined);
  if (lock === undefined) return undefined;
  const names = user.filter((requirer) => fileOf(requirer) === lock).map(({ spec }) => nameOf(spec));
  return lockCommand(lock, [...new Set(names)]);
}

function nameOf(spec: string): string {
  return normaliseName(/^[A-Za-z0-9][A-Za-z0-9._-]*/.exec(spec)?.[0] ?? '');
}

function isMentioned(name: string, text: string): boolean {
  // A normalised name has no special characters of a pattern.
  return new RegExp(`(?:^|[^a-z0-9.-])${name}(?![a-z0-9-])`, 'i').test(text);
}
