import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { A2aError } from './a2a-error.ts';

/** The version in the header A2A-Version. An empty one means 0.3 (section 3.6.2 of version 1.0). */
export function readVersion(headers: RequestHeaders): '1.0' | '0.3' {
  const said = headers.get('a2a-version')?.trim() ?? '';
  const [version] = /^(1\.0|0\.3)(?=\.\d{1,6}$|$)/.exec(said === '' ? '0.3' : said) ?? [];
  if (version === '1.0' || version === '0.3') return version;
  throw new A2aError('VERSION_NOT_SUPPORTED', 'The header A2A-Version must be 1.0 or 0.3.');
}
