// Tools about a project on this machine. Each is a command of svc with the same session, so it says and does what a person gets.
import { execFile } from 'node:child_process';
import type { Session } from '../session/session.ts';

const path = { type: 'string', description: 'the directory of the project' };
const message = { type: 'string', description: 'the change, in words' };

const own = {
  validate_project: {
    description: 'Check a project on this machine without sending anything: every fault with its line',
    inputSchema: { type: 'object', properties: { path }, required: ['path'] },
    annotations: { readOnlyHint: true },
    words: ({ path: at }: Given) => ['validate', at],
  },
  plan_project: {
    description: 'Every check and every change of a deploy of this project, without deploying',
    inputSchema: { type: 'object', properties: { path }, required: ['path'] },
    annotations: { readOnlyHint: true },
    words: ({ path: at }: Given) => ['deploy', at, '--plan'],
  },
  submit_project: {
    description: 'Push a project on this machine, and ask the admins for its approval',
    inputSchema: { type: 'object', properties: { path, message }, required: ['path', 'message'] },
    annotations: { readOnlyHint: false, destructiveHint: false },
    words: ({ path: at, message: said }: Given) => ['submit', at, '--message', said],
  },
  deploy_project: {
    description: 'Push a project on this machine and deploy it. Then ask for the deploy by its id: show_deploy',
    inputSchema: { type: 'object', properties: { path, message }, required: ['path'] },
    annotations: { readOnlyHint: false, destructiveHint: false },
    words: ({ path: at, message: said }: Given) => [
      'deploy',
      at,
      '--detach',
      ...(said === '' ? [] : ['--message', said]),
    ],
  },
} as const;

interface Given {
  path: string;
  message: string;
}

export const projectTools = Object.entries(own).map(([name, { words: _, ...tool }]) => ({ name, ...tool }));

/** Undefined for a tool of the service. */
export async function runProjectTool(
  session: Session,
  { name, arguments: given }: { name?: unknown; arguments?: unknown },
  signal: AbortSignal,
): Promise<object | undefined> {
  if (typeof name !== 'string' || !Object.hasOwn(own, name)) return undefined;
  const { words, inputSchema } = own[name as keyof typeof own]; // its own member
  const { path: at = '', message: said = '' } = (given ?? {}) as Partial<Record<string, unknown>>;
  // No word of the caller is read as a flag.
  const isWrong = (value: unknown) => typeof value !== 'string' || value.startsWith('-');
  const missing = (inputSchema.required as readonly string[]).find(
    (field) => ({ path: at, message: said })[field] === '',
  );
  if (isWrong(at) || isWrong(said) || missing !== undefined)
    return {
      isError: true,
      content: [{ type: 'text', text: `${name} needs ${missing ?? 'texts that begin with no dash'}.` }],
    };
  return await run(session, words({ path: at as string, message: said as string }), signal); // checked above
}

const most_bytes = 1024 * 1024;

async function run({ globals, server }: Session, words: readonly string[], signal: AbortSignal): Promise<object> {
  const program = process.argv[1] ?? '';
  const team = globals.team === undefined ? [] : ['--team', globals.team];
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...words, '--json', '--no-input', '--server', server, ...team],
      { signal, maxBuffer: most_bytes },
      (error, stdout, stderr) => {
        const text = [stdout.trim(), stderr.trim()].filter((part) => part !== '').join('\n');
        resolve({ content: [{ type: 'text', text }], ...(error !== null && { isError: true }) });
      },
    );
    child.stdin?.end();
  });
}
