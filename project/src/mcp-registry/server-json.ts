// A server as MCP registries describe it (server.json, schema of 2025-12-11), as far as it is read here. Other fields are nobody's here, so they may be
// anything. Each text that is read has a bound, and no control character.
import { z } from 'zod';

const controls = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/;
const text = (longest: number) => z.string().max(longest).regex(controls, 'holds control characters');
const prose = text(2000).default('');

const input = z.object({
  description: prose,
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  value: text(2000).optional(),
  default: text(2000).optional(),
  choices: z.array(text(500)).max(100).nullish(),
});

const named = input.extend({ name: text(200) });
export type NamedInput = z.output<typeof named>;

const argument = z.union([
  input.extend({ type: z.literal('positional'), valueHint: text(200).optional() }),
  input.extend({ type: z.literal('named'), name: text(200) }),
]);
export type Argument = z.output<typeof argument>;

const remote = z.object({
  type: text(50),
  url: text(2000),
  headers: z.array(named).max(50).nullish(),
});
export type Remote = z.output<typeof remote>;

const registeredPackage = z.object({
  registryType: text(50),
  registryBaseUrl: text(500).nullish(),
  identifier: text(500),
  version: text(255).nullish(),
  transport: z.object({ type: text(50) }),
  runtimeArguments: z.array(z.unknown()).max(100).nullish(),
  packageArguments: z.array(argument).max(100).nullish(),
  environmentVariables: z.array(named).max(200).nullish(),
});
export type RegisteredPackage = z.output<typeof registeredPackage>;

const about = {
  name: text(200),
  version: text(255),
  title: text(200).nullish(),
  description: prose,
};

export const serverJson = z.object({
  ...about,
  remotes: z.array(remote).max(20).nullish(),
  packages: z.array(registeredPackage).max(20).nullish(),
});
export type ServerJson = z.output<typeof serverJson>;

/** An entry of the API. */
export const registryEntry = z.object({ server: serverJson });

/** A page of the list, of which only names and texts are read. */
export const registryPage = z.object({
  servers: z.array(z.object({ server: z.object(about) })).max(200),
  metadata: z.object({ nextCursor: z.string().nullish() }).nullish(),
});
