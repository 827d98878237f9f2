// The settings of hosted MCP servers, as a part of config.ts.
import { z } from 'zod';

const seconds = z.coerce.number().positive().max(86_400);

export const hostedSettings = {
  TOOL_SERVERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(20)
    .describe('the containers of hosted MCP servers that run at once, in the whole installation. 0: none'),
  TOOL_SERVER_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(32)
    .default(256)
    .describe('the memory limit of one container of a hosted MCP server'),
  TOOL_SERVER_START_SECONDS: seconds
    .default(60)
    .describe('the time in which a hosted MCP server must answer after its start'),
  TOOL_SERVER_IDLE_SECONDS: seconds
    .default(600)
    .describe('a container of a hosted MCP server ends when nobody has called it for this time'),
};

const shape = z.object(hostedSettings);

export interface HostedConfig {
  /** Containers at once, in the whole installation. */
  most: number;
  memory_bytes: number;
  start_ms: number;
  idle_ms: number;
}

export function hostedConfig(given: z.output<typeof shape>): HostedConfig {
  return {
    most: given.TOOL_SERVERS,
    memory_bytes: given.TOOL_SERVER_MEMORY_MB * 1024 ** 2,
    start_ms: given.TOOL_SERVER_START_SECONDS * 1000,
    idle_ms: given.TOOL_SERVER_IDLE_SECONDS * 1000,
  };
}
