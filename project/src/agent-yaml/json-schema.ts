import { z } from 'zod';
import type { JsonSchema } from '@gantry/contract/formats/json-schema.ts';
import { agentConfig } from './config.ts';

let made: JsonSchema | undefined;

/** JSON Schema draft 7, for editors (`# yaml-language-server: $schema=…`). */
export function agentJsonSchema(): JsonSchema {
  made ??= { title: 'agent.yaml', ...z.toJSONSchema(agentConfig, { io: 'input', target: 'draft-7' }) };
  return made;
}
