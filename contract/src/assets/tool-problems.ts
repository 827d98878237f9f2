// The refusals about tools of MCP servers. problems.ts has all of them.
export const toolProblems = {
  server_unavailable: {
    status: 502,
    title: 'The MCP server cannot be used',
    hint: 'Its owner can try it: `svc mcp look <server>`.',
  },
  not_callable: {
    status: 409,
    title: 'This MCP server cannot be called',
    hint: 'Name a package in its config (`package: pypi:<name>==<version>`), or give it an address: `transport: streamable-http` and `url`.',
  },
  registry_unset: {
    status: 409,
    title: 'No MCP registry is named',
    hint: 'Name one with `--from <address>`. An admin can set one for all: `svc org set mcp_registry <address>`.',
  },
  registry_unreadable: {
    status: 502,
    title: 'The MCP registry cannot be read',
    hint: 'Check the address and the name: `svc mcp search <words> --from <address>`.',
  },
  servers_full: {
    status: 503,
    title: 'Too many hosted MCP servers run at once',
    hint: 'Try again later: idle ones end. An operator can raise the limit: `svc server set TOOL_SERVERS=<number>`.',
    retry_after_seconds: 60,
  },
  tools_changed: {
    status: 409,
    title: 'The list of tools is not the one that was read',
    hint: 'Read it again: `svc mcp look <server>`.',
  },
  arguments_refused: {
    status: 422,
    title: 'The arguments do not fit the tool',
    hint: 'Read its schema: `svc mcp tools <server>`.',
  },
  rule_refused: {
    status: 403,
    title: 'A rule on calls refuses this call',
    hint: 'Change the arguments, or ask the owner of the rule.',
  },
  call_waits: {
    status: 409,
    title: 'A person must approve this call',
    hint: 'Make the same call again, after the approval.',
  },
  call_rejected: {
    status: 403,
    title: 'A person has rejected this call',
  },
  question_waits: {
    status: 409,
    title: 'The server asks the person for whom this call is made',
    hint: 'Make the same call again, after the answer.',
  },
  answer_refused: {
    status: 422,
    title: 'The values do not fit the question',
    hint: 'Read its fields: `svc inbox`.',
  },
  connection_needed: {
    status: 409,
    title: 'This call needs your own credential, and your consent for the agent',
    hint: 'Open the link, then make the same call again.',
  },
  connection_refused: {
    status: 403,
    title: 'The person does not let this agent act in their name',
  },
  connection_failed: {
    status: 502,
    title: 'The sign-in at the MCP server has failed',
    hint: 'Begin again: `svc connect <server>`.',
  },
  link_used: {
    status: 409,
    title: 'This link has ended',
    hint: 'Make a new one: `svc connect <server>`.',
  },
  tool_changed: {
    status: 409,
    title: 'The server has changed this tool since its list was pinned',
    hint: 'Its owner reads the difference and pins it: `svc mcp pin <server>`.',
  },
} as const;
