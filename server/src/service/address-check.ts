// A server that is called for its end callers sends a browser to BASE_URL, or trusts it as an issuer. Both need https, unless they stay on this machine.
import { serversForCallers } from '../assets/registry/find.ts';
import type { Reader } from '../ground/database/database.ts';
import { ok, warning, type Check } from './doctor.ts';

export function addressCheck(db: Reader, base_url: () => string): Check {
  return {
    part: 'address',
    look: async () => {
      const { protocol, hostname } = new URL(base_url());
      if (protocol === 'https:') return ok('BASE_URL has https');
      if (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'))
        return ok('BASE_URL is this machine');
      const servers = await serversForCallers(db);
      if (servers.length === 0) return ok('BASE_URL has http, and no MCP server is called for its end callers');
      return warning(
        `BASE_URL has http, and these MCP servers are called for their end callers: ${servers.map(({ name }) => name).join(', ')}`,
        'Set BASE_URL to an https address, such as that of a proxy (docs/guide/service.md).',
      );
    },
  };
}
