import { z } from 'zod';
import { environment } from '@gantry/contract/agents/environment.ts';
import { environmentName, toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { destinationRule, isDestination } from '../agent-yaml/egress.ts';
import { callPolicyFields } from '../call-rules/config.ts';
import { hostedPackageRule, parseHostedPackage } from '../hosted-package.ts';
import { mcpTransports } from '../mcp-transports.ts';
import { httpAddress } from './http-address.ts';

const argument = z
  .string()
  .max(1000)
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters');
const ofStdio = ['command', 'package', 'args', 'env_vars', 'secrets', 'egress', 'share'] as const;
/** The service runs a package, and no command. */
const ofPackage = ['egress', 'share'] as const;
const ofHttp = ['url', 'secret'] as const;

export const shares = ['call', 'caller', 'revision'] as const;

/** A server of the Model Context Protocol: a program to start, or an address. */
export const mcpServer = z
  .strictObject({
    transport: z.enum(mcpTransports).default('stdio').describe('How agents connect to it'),
    command: argument
      .min(1)
      .optional()
      .describe('The program of a `stdio` server, as a note: only a `package` can be called'),
    package: z
      .string()
      .refine((text) => parseHostedPackage(text) !== undefined, hostedPackageRule)
      .optional()
      .describe(
        'The package that the service runs as a `stdio` server: pypi:<name>==<version> or npm:<name>@<version>',
      ),
    args: z.array(argument).max(100).optional().describe('The arguments of the program'),
    env_vars: environment
      .optional()
      .describe('Environment variables of the program, without secrets: everybody who can edit it can read them'),
    secrets: listOf(environmentName, 100).optional().describe('Names of secrets that the program gets as variables'),
    egress: listOf(z.string().refine(isDestination, destinationRule), 100)
      .optional()
      .describe('The only destinations of the program, as host:port; unset: none'),
    share: z
      .enum(shares)
      .optional()
      .describe(
        'Who shares a container of the program: `call` nobody, `caller` (the default) the calls of one end caller of an agent, `revision` all callers of a revision of an agent',
      ),
    url: httpAddress.optional().describe('The address of an HTTP server'),
    secret: environmentName.optional().describe('The name of the secret that is sent as a bearer token'),
    tools: listOf(toolName, 500).optional().describe('The only tools that agents may call; unset: all'),
    ...callPolicyFields,
  })
  .superRefine(({ transport, ...config }, context) => {
    const fault = (field: keyof typeof config, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const isStdio = transport === 'stdio';
    for (const field of isStdio ? ofHttp : ofStdio)
      if (config[field] !== undefined) fault(field, `does not belong to \`transport: ${transport}\``);
    if (!isStdio) {
      if (config.url === undefined) fault('url', `is missing; \`transport: ${transport}\` needs it`);
      return;
    }
    const { command, package: hosted } = config;
    if (command === undefined && hosted === undefined)
      fault('package', 'is missing; `transport: stdio` needs a `package`');
    if (command !== undefined && hosted !== undefined) fault('command', 'does not belong beside `package`');
    for (const field of ofPackage)
      if (hosted === undefined && config[field] !== undefined) fault(field, 'needs `package`');
  });
