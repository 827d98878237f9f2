import { typeOfName } from '@gantry/contract/agents/files/type-of-name.ts';

const vague = ['', 'application/octet-stream', 'binary/octet-stream', 'text/plain'];

/** Many servers send all files as bytes or as plain text. Then the name says more. */
export function mediaTypeOf(path: string, said = ''): string {
  const type = (said.split(';')[0] ?? '').trim().toLowerCase();
  if (!vague.includes(type)) return type;
  return typeOfName(path) ?? (type === 'text/plain' ? type : 'application/octet-stream');
}
