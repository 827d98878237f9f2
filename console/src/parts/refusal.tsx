import { Problem, problems, type Fault } from '@gantry/contract/problems.ts';
import { Unreachable } from '@gantry/contract/client/unreachable.ts';
import { Copy } from './copy.tsx';

interface Told {
  title: string;
  detail?: string | undefined;
  hint?: string | undefined;
  request_id?: string | undefined;
  faults?: readonly Fault[];
}

/** The one way to show a refusal: the server's own words, the way out and the request's id. */
export function Refusal({ error }: { error: unknown }) {
  const { title, detail, hint, request_id, faults = [] } = told(error);
  return (
    <div role="alert" className="rounded border border-line bg-failed-soft px-3 py-2.5">
      <p className="font-strong text-failed">{title}</p>
      {detail !== undefined && detail !== title && <p className="mt-0.5 whitespace-pre-wrap">{detail}</p>}
      {faults.map(({ pointer, message }) => (
        <p key={`${pointer} ${message}`} className="mt-0.5 break-words">
          {pointer !== undefined && <span className="font-mono text-meta">{pointer.slice(1)} </span>}
          {message}
        </p>
      ))}
      {hint !== undefined && <p className="mt-1 text-quiet">{commandsIn(hint)}</p>}
      {request_id !== undefined && (
        <p className="mt-1 font-mono text-meta text-quiet">
          <Copy text={request_id} label="the request id">
            request {request_id.slice(0, 8)}
          </Copy>
        </p>
      )}
    </div>
  );
}

function told(error: unknown): Told {
  if (error instanceof Unreachable)
    return { title: 'Waiting for the service', detail: 'It does not answer. The console asks again by itself.' };
  if (!(error instanceof Problem)) return { title: 'The console failed', detail: String(error) };
  // Its hint is for a terminal; here the sign-in opens over the page.
  if (error.code === 'unauthenticated')
    return { title: 'Your session has ended', detail: 'Sign in again, and repeat it: nothing was done.' };
  const { request_id } = error.fields;
  return {
    title: problems[error.code].title,
    detail: error.detail,
    hint: error.hint,
    faults: error.errors,
    ...(typeof request_id === 'string' && { request_id }),
  };
}

/** Text of the server has commands and names between backticks. A command can be copied. */
export function commandsIn(text: string) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} className="font-mono text-meta text-text">
        {part.includes(' ') ? <Copy text={part} /> : part}
      </span>
    ),
  );
}
