import type { Log } from '../../../ground/log.ts';
import type { RequestLog } from '../mount.ts';
import type { ServeEvents } from './serve.ts';

export const undeclared_problem = 'a bug: the contract does not list this problem for this endpoint';

export function requestLog(log: Log): RequestLog & ServeEvents {
  return {
    // Probes come every few seconds and carry no information.
    answered: (line) =>
      line.path === '/livez' || line.path === '/readyz' ? log.debug(line, 'request') : log.info(line, 'request'),
    unparsed: (line) => log.info(line, 'the input is not an HTTP request'),
    full: () => log.warn('connections are refused: MAX_CONNECTIONS are open'),
    bug: (error, request_id) =>
      log.error({ err: error, request_id }, 'a bug: this request was answered with `internal`'),
    overtaken: (error, request_id) =>
      log.warn({ err: error, request_id }, 'this request referred to a row that was removed meanwhile'),
    undeclared: (line) => log.error(line, undeclared_problem),
  };
}
