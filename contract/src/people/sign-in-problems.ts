// The refusals about passwords, and to clients that sign in for a person (RFC 6749, 6750, 7591, 8707). problems.ts has all of them.
export const signInProblems = {
  weak_password: { status: 422, title: 'This password cannot be used' },
  wrong_password: { status: 422, title: 'The current password is wrong' },
  insufficient_scope: {
    status: 403,
    title: 'The client was not allowed to do this',
    hint: 'Sign in with the client again, and allow it.',
  },
  invalid_client: { status: 400, title: 'This client cannot sign in here' },
  invalid_grant: { status: 400, title: 'This code or token does not work', hint: 'Sign in with the client again.' },
  invalid_scope: { status: 400, title: 'The client asks for nothing that there is' },
  invalid_target: {
    status: 400,
    title: 'The client asks for no address of the Model Context Protocol here',
    hint: 'Its `resource` is the address of `/mcp`, `/mcp/<server>` or `/agents/<name>/mcp`.',
  },
  invalid_redirect_uri: { status: 400, title: 'The browser is not sent to this address' },
  unsupported_grant_type: { status: 400, title: 'Tokens are given for a code or a refresh token only' },
} as const;
