// An error as people and programs read it, with the exit code.
import { Problem, problemDocument, type Fault } from '@gantry/contract/problems.ts';
import type { Unreachable } from '@gantry/contract/client/unreachable.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { CliRefusal } from './refusal.ts';
import type { Next } from './result.ts';
import { faint, line, whole, type View } from './view/view.ts';

export interface Failure {
  sentence: string;
  view: View;
  exit: ExitCode;
  /** For programs. */
  problem: Record<string, unknown>;
  next: Next[];
  /** The hint's commands: programs get them as `next`; people read them in the hint. */
  hinted: Next[];
  person_must_act: boolean;
}

/** Undefined for a bug: an error that is neither a refusal nor an unreachable server. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof Problem) return describeProblem(error);
  if (error instanceof CliRefusal) return describeRefusal(error);
  if (error instanceof Error && error.name === 'Unreachable') return describeUnreachable(error as Unreachable); // the name is that class's alone
  return undefined;
}

function describeProblem(problem: Problem): Failure {
  const request_id = problem.fields['request_id'];
  const waits = (['approval_required', 'call_waits', 'question_waits'] as readonly string[]).includes(problem.code);
  return {
    sentence: problem.detail,
    view: [
      ...problem.errors.flatMap(faultLines),
      ...evidence(problem),
      ...hintLines(problem.hint),
      line(faint(`${problem.code}${typeof request_id === 'string' ? `, request ${request_id}` : ''}`)),
    ],
    exit: waits ? exitCodes.waits : exitCodes.refused,
    problem: { ...problemDocument(problem) },
    next: [],
    hinted: commandsIn(problem.hint),
    person_must_act: waits,
  };
}

function describeRefusal({ code, message, more }: CliRefusal): Failure {
  return {
    sentence: message,
    view: [...(more.faults ?? []).flatMap(faultLines), ...(more.view ?? []), ...hintLines(more.hint)],
    exit: more.exit ?? exitCodes.refused,
    problem: more.problem ?? {
      code,
      detail: message,
      ...(more.hint === undefined ? {} : { hint: more.hint }),
      ...(more.faults === undefined ? {} : { errors: more.faults }),
    },
    next: more.next ?? [],
    hinted: commandsIn(more.hint),
    person_must_act: more.person_must_act ?? false,
  };
}

function describeUnreachable({ message, url, hint: own }: Unreachable): Failure {
  const general = isLoopback(url)
    ? 'Is the service running on this machine? Run `svc server start`.'
    : 'Check the address (SERVICE_URL or --server), the network and any proxy in between.';
  const hint = own ?? general;
  return {
    sentence: message,
    view: hintLines(hint),
    exit: exitCodes.unreachable,
    problem: { code: 'unreachable', detail: message, hint },
    next: [],
    hinted: commandsIn(hint),
    person_must_act: false,
  };
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** `agent.yaml:3:7  message`, as editors read it, with the fix below. */
function faultLines(fault: Fault): View {
  const where =
    fault.file === undefined
      ? (fault.pointer ?? '')
      : [fault.file, fault.line, fault.column].filter((part) => part !== undefined).join(':');
  const suggestion = fault['suggestion'];
  return [
    line('  ', { text: where, style: 'strong' }, where === '' ? '' : '  ', fault.message),
    ...(typeof suggestion === 'string' ? [line('      → ', suggestion)] : []),
  ];
}

/**
 * The output of an agent that did not start: the traceback of its import, or else its last lines. The output of a hosted MCP server that did
 * not start. For other refusals the watched run has already printed its output.
 */
function evidence({ code, fields }: Problem): View {
  const reason = memberOf(fields['reason'], 'traceback');
  const text = code === 'server_unavailable' ? fields['output'] : reason;
  const lines = typeof text === 'string' ? text.trimEnd().split('\n') : logLines(fields['log']);
  return lines.map((text) => whole(faint('    │ '), text));
}

function logLines(log: unknown): string[] {
  if (!Array.isArray(log)) return [];
  return log.map((entry) => memberOf(entry, 'line')).filter((text) => typeof text === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function hintLines(hint: string | undefined): View {
  return hint === undefined || hint === '' ? [] : [line(faint('hint: '), hint)];
}

/** A hint has its commands in backticks; programs get them separately. */
function commandsIn(hint: string | undefined): Next[] {
  return [...(hint ?? '').matchAll(/`(svc [^`]+)`/g)].map(([, command]) => ({
    command: command ?? '',
    when: 'to resolve this',
  }));
}
