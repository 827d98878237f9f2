// The variables that a project's code expects, from the files that list them. Only names are read, because values may be secrets.

/** A file at the top of a project that lists variables, such as `.env.example`. */
export const isEnvironmentFile = (name: string): boolean =>
  /^\.env(?:[._-](?:example|sample|template|dist))?$/.test(name);

/** A longer one is not read. */
export const max_environment_bytes = 100_000;

/** The names in these texts in their order, without repeats. */
export function environmentNames(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?([A-Z][A-Z0-9_]{0,127})[ \t]*=/gm)].flatMap(
      ([, name]) => name ?? [],
    ),
  );
  return [...new Set(names)];
}
