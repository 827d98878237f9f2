// The names of tools and prompts at the door. At the address of one server they are its own; at `/mcp` each begins with its server.
import { knowledge_server, searchTool } from '@gantry/contract/assets/tools.ts';

/** Names of servers have no underscore, so the first pair of them ends the name. */
const between = '__';
/** A search stands alone, because it is found by its own name. */
const search = searchTool('');

/** `server`: the only one, undefined at `/mcp`. */
interface At {
  server?: string;
}

export function outerName({ server: only }: At, server: string, name: string): string {
  return only === undefined && server !== knowledge_server ? `${server}${between}${name}` : name;
}

/** Undefined for a name at `/mcp` that begins with no server. */
export function innerName({ server: only }: At, name: string): { server: string; name: string } | undefined {
  if (only !== undefined) return { server: only, name };
  const at = name.indexOf(between);
  if (at < 0) return name.startsWith(search) ? { server: knowledge_server, name } : undefined;
  return { server: name.slice(0, at), name: name.slice(at + between.length) };
}
