// An error as Google's APIs print it (google.rpc.Status), which the clients of Gemini and of A2A read.

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'FAILED_PRECONDITION',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

interface GoogleError {
  /** The status of HTTP. */
  status: number;
  message: string;
  /** The code of a Problem. */
  code: string;
  metadata?: Readonly<Record<string, string>>;
}

export function googleError({ status: code, message, code: reason, metadata = {} }: GoogleError) {
  const status = statuses[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL');
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: reason.toUpperCase(),
    domain: 'gantry',
    metadata,
  };
  return { code, status, message, details: [info] };
}
