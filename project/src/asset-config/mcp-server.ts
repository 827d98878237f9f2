import { z } from 'zod';
import { environment } from '@gantry/contract/agents/environment.ts';
import { environmentName, toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { callLimitFields } from '../call-limits.ts';
import { dataFlow } from '../data-flow.ts';
import { destinationRule, isDestination } from '../agent-yaml/egress.ts';
import { callPolicyFields } from '../call-rules/config.ts';
import { hostedPackageRule, parseHostedPackage } from '../hosted-package.ts';
import { mcpTransports } from '../mcp-transports.ts';
import { httpAddress } from './http-address.ts';

const argument = z
  .string()
  .max(1000)
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters');
/** RFC 6749, section 3.3. */
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope of OAuth, without spaces');
const ofStdio = ['command', 'package', 'args', 'env_vars', 'secrets', 'egress', 'share'] as const;
/** The service runs a package, and no command. */
const ofPackage = ['egress', 'share'] as const;
const ofHttp = ['url', 'secret', 'as', 'oauth'] as const;

const oauthClient = z
  .strictObject({
    client_id: argument
      .min(1)
      .optional()
      .describe('The client id that its authorization server knows; unset: the service registers itself'),
    secret: environmentName.optional().describe('The name of the secret with the client secret'),
    scopes: listOf(scope, 50).optional().describe('The scopes to ask for; unset: those that the server names'),
  })
  .refine(({ client_id, secret }) => secret === undefined || client_id !== undefined, {
    error: 'is missing; `secret` belongs to it',
    path: ['client_id'],
  });

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
    as: z
      .enum(['user', 'delegate'])
      .optional()
      .describe(
        'Whose credential a call has. `user`: that of the end caller, who connects once. `delegate`: a short token of this service, which names the end caller and the agents. Unset: `secret`',
      ),
    oauth: oauthClient.optional().describe('How the service signs people in at the server, with `as: user`'),
    tools: listOf(toolName, 500).optional().describe('The only tools that agents may call; unset: all'),
    data_flow: dataFlow.optional(),
    ...callPolicyFields,
    ...callLimitFields,
  })
  .superRefine(({ transport, ...config }, context) => {
    const fault = (field: keyof typeof config, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const isStdio = transport === 'stdio';
    for (const field of isStdio ? ofHttp : ofStdio)
      if (config[field] !== undefined) fault(field, `does not belong to \`transport: ${transport}\``);
    if (!isStdio) {
      if (config.url === undefined) fault('url', `is missing; \`transport: ${transport}\` needs it`);
      if (config.as !== undefined && config.secret !== undefined)
        fault('secret', `does not belong to \`as: ${config.as}\``);
      if (config.oauth !== undefined && config.as !== 'user') fault('oauth', 'belongs to `as: user` only');
      return;
    }
    const { command, package: hosted } = config;
    if (command === undefined && hosted === undefined)
      fault('package', 'is missing; `transport: stdio` needs a `package`');
    if (command !== undefined && hosted !== undefined) fault('command', 'does not belong beside `package`');
    for (const field of ofPackage)
      if (hosted === undefined && config[field] !== undefined) fault(field, 'needs `package`');
  });
