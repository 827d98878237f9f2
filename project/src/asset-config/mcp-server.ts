import { z } from 'zod';
import { environment } from '@gantry/contract/agents/environment.ts';
import { environmentName, toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { callLimitFields } from '../call-limits.ts';
import { callPolicyFields } from '../call-rules/config.ts';
import { mcpTransports } from '../mcp-transports.ts';
import { httpAddress } from './http-address.ts';

const argument = z
  .string()
  .max(1000)
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters');
const ofStdio = ['command', 'args', 'env_vars', 'secrets'] as const;
const ofHttp = ['url', 'secret'] as const;

/** A server of the Model Context Protocol: a program to start, or an address. */
export const mcpServer = z
  .strictObject({
    transport: z.enum(mcpTransports).default('stdio').describe('How agents connect to it'),
    command: argument.min(1).optional().describe('The program of a `stdio` server'),
    args: z.array(argument).max(100).optional().describe('The arguments of the program'),
    env_vars: environment
      .optional()
      .describe('Environment variables of the program, without secrets: everybody who can edit it can read them'),
    secrets: listOf(environmentName, 100).optional().describe('Names of secrets that the program gets as variables'),
    url: httpAddress.optional().describe('The address of an HTTP server'),
    secret: environmentName.optional().describe('The name of the secret that is sent as a bearer token'),
    tools: listOf(toolName, 500).optional().describe('The only tools that agents may call; unset: all'),
    ...callPolicyFields,
    ...callLimitFields,
  })
  .superRefine(({ transport, ...config }, context) => {
    const [needed, others] = transport === 'stdio' ? (['command', ofHttp] as const) : (['url', ofStdio] as const);
    if (config[needed] === undefined)
      context.addIssue({ code: 'custom', path: [needed], message: `is missing; \`transport: ${transport}\` needs it` });
    for (const field of others)
      if (config[field] !== undefined)
        context.addIssue({ code: 'custom', path: [field], message: `does not belong to \`transport: ${transport}\`` });
  });
