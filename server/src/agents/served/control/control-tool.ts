import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Client } from '@gantry/contract/client/client.ts';
import type { EndpointName } from '@gantry/contract/endpoints.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import { name } from '@gantry/contract/wire.ts';

/** A tool over the API. Its caller has the same rights there as with the API itself. */
export interface ControlTool {
  name: string;
  description: string;
  /** The endpoints that it calls. */
  calls: readonly EndpointName[];
  input: z.ZodObject;
  acts: 'reads' | 'changes' | 'destroys';
  run: (client: Client, given: unknown, signal: AbortSignal) => Promise<unknown>;
}

interface Described<I extends z.ZodObject> extends Omit<ControlTool, 'run' | 'input'> {
  input: I;
  run: (client: Client, given: z.output<I>, signal: AbortSignal) => Promise<unknown>;
}

/** The input reaches `run` parsed. Throws `invalid`. */
export function controlTool<I extends z.ZodObject>({ input, run, ...more }: Described<I>): ControlTool {
  return {
    ...more,
    input,
    run: async (client, given, signal) => {
      const parsed = input.safeParse(given);
      if (parsed.success) return await run(client, parsed.data, signal);
      const errors = parsed.error.issues.map(({ path, message }): Fault => ({
        pointer: `/${path.map(String).join('/')}`,
        message,
      }));
      const [first] = errors;
      throw new Problem('invalid', { detail: `${more.name}: ${first?.pointer ?? ''} ${first?.message ?? ''}`, errors });
    },
  };
}

/** An act on an agent that ends something: whoever calls it repeats the name. */
export const confirmed = {
  name,
  confirm: z.string().describe('the same name again: the act ends what runs'),
};

/** Throws `invalid`. */
export function requireConfirmation({ name: agent, confirm }: { name: string; confirm: string }): void {
  if (agent !== confirm)
    throw new Problem('invalid', {
      detail: `confirm must be ${agent}, the name of the agent.`,
      hint: 'Ask the person first.',
    });
}

export function listedTool({ name: of, description, input, acts }: ControlTool): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name: of,
    description,
    inputSchema: inputSchema as Tool['inputSchema'], // of an object
    annotations: {
      readOnlyHint: acts === 'reads',
      destructiveHint: acts === 'destroys',
      openWorldHint: false,
    },
  };
}
