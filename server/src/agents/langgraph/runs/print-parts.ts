// The parts of a run as the SDKs read them, made of the events of its agent.
import type { AnsweredMode } from '@gantry/contract/agents/langgraph/runs.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import type { Event } from '../../../models/guardrails/guarded-events.ts';
import { part_event } from '../../invoke/streams/graph-parts.ts';

export interface Part {
  event: string;
  /** JSON. */
  data: string;
}

export interface PartPrinter {
  of: (event: Event) => Part[];
  /** At the end of a run without an error. A crew has no graph, and its values are its result. */
  end: (values: unknown) => Part[];
}

export function partPrinter(modes: ReadonlySet<AnsweredMode>): PartPrinter {
  let hasValues = false;
  return {
    of: (event) => {
      // The wrapper says that it leaves out the rest.
      if (event['type'] === 'CUSTOM' && event['name'] === 'notice') hasValues = false;
      if (event['type'] !== 'CUSTOM' || event['name'] !== part_event) return [];
      // The wrapper has made it (graph parts).
      const { mode, ns, data } = event['value'] as { mode: string; ns: string[]; data: unknown };
      hasValues ||= mode === 'values';
      return [partOf([mode, ...ns].join('|'), data)];
    },
    end: (values) => (modes.has('values') && !hasValues ? [partOf('values', values)] : []),
  };
}

export const partOf = (event: string, data: unknown): Part => ({ event, data: JSON.stringify(data) });

export const metadataPart = (run_id: string): Part => partOf('metadata', { run_id, attempt: 1 });

export const printPart = (part: Part, id?: number): string =>
  printServerSentEvent({ ...(id !== undefined && { id: String(id) }), ...part });
