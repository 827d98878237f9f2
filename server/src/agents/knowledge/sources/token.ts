import { DocumentUnreadable, type SourceContext } from './source.ts';

/** The value of a secret of the team, fit for a header. Throws DocumentUnreadable. */
export async function token(name: string, { secret }: Pick<SourceContext, 'secret'>): Promise<string> {
  const value = await secret(name);
  if (value === undefined) throw new DocumentUnreadable(`the secret ${name} is not set`);
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new DocumentUnreadable(`the secret ${name} has a character that no token has, such as a space`);
  return value;
}
