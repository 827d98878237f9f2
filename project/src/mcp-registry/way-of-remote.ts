import { NotTaken, type FoundWay } from './found-way.ts';
import type { NamedInput, Remote, ServerJson } from './server-json.ts';
import { isTemplate } from './template.ts';

/** Throws NotTaken. */
export function wayOfRemote({ name }: Pick<ServerJson, 'name'>, { type, url, headers }: Remote): FoundWay {
  if (type !== 'streamable-http') throw new NotTaken(`it speaks ${type}, and the service speaks streamable-http`);
  if (isTemplate(url)) throw new NotTaken('its address has parts that a person fills in');
  const left_out: string[] = [];
  let signsIn = false;
  for (const header of headers ?? []) {
    if (isAuthorization(header)) {
      requireBearer(header);
      if (header.isRequired) signsIn = true;
      else left_out.push('a sign-in that it does not need: --secret names the secret with the token');
    } else if (header.isRequired || header.value !== undefined)
      throw new NotTaken(`it wants the header ${header.name}, and the service sends Authorization alone`);
    else left_out.push(`the header ${header.name}`);
  }
  const config = { transport: 'streamable-http', url, ...(signsIn && { secret: secretNameFor(name) }) };
  return { of: url, config, variables: [], left_out };
}

const isAuthorization = ({ name }: NamedInput) => name.toLowerCase() === 'authorization';

/** `secret` of a config is sent as a bearer token. An entry without a form says nothing against it. */
function requireBearer({ value }: NamedInput): void {
  if (value === undefined) return;
  if (!isTemplate(value)) throw new NotTaken('its entry holds the value of its Authorization header');
  if (!/^bearer \{[^{}]*\}$/i.test(value)) throw new NotTaken('its Authorization header is no bearer token');
}

/** `io.github.example/weather-mcp` → WEATHER_MCP_TOKEN */
function secretNameFor(name: string): string {
  const own = name.slice(name.indexOf('/') + 1).toUpperCase();
  return `${own.replaceAll(/[^A-Z0-9]/g, '_').replace(/^(?=\d)/, '_')}_TOKEN`;
}
