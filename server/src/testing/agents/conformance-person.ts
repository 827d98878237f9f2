// A person of the service, who does what a server of the conformance suite expects of a client and its user.
import { Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import type { TestApp, TestUser } from '../test-app.ts';

export interface Task {
  scenario: string;
  url: string;
  context: {
    toolCalls?: Call[];
    client_id?: string;
    client_secret?: string;
  };
}

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** In the team. */
const client_secret = 'SUITE_CLIENT_SECRET';
/** A server can want something of the person more than once. */
const most_tries = 3;

/** Each task is about a server of its own, which a member of the team has registered, looked at and pinned. */
export function conformancePerson({ url: service }: Pick<TestApp, 'url'>, { client, token }: TestUser) {
  let count = 0;

  async function perform({ scenario, url, context }: Task): Promise<void> {
    const name = `suite-${++count}`;
    const asUser = scenario.startsWith('auth/');
    const oauth = scenario === 'auth/pre-registration' ? await registered(context) : undefined;
    const config = { transport: 'streamable-http' as const, url, ...(asUser && { as: 'user' as const, ...oauth }) };
    await client.call('registry.create', {
      params: { kind: 'mcp-server' },
      body: { name, team: 'ml', visibility: 'team', config },
    });
    if (asUser) await signIn(name);
    const { seen } = await look(name);
    await client.call('tools.pin', { params: { name }, body: { digest: seen?.digest ?? '' } });
    const editor = new Client({ name: 'editor', version: '1.0.0' });
    const headers = { authorization: `Bearer ${token}` };
    const address = new URL(`${service}/mcp/${name}`);
    await editor.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    try {
      const { tools } = await editor.listTools();
      for (const call of callsOf(tools, context)) await callTool(editor, name, call);
    } finally {
      await editor.close();
    }
  }

  /** The list itself can need another sign-in. */
  async function look(name: string) {
    const asked = async () => await client.call('tools.look', { params: { name } });
    return await asked().catch(async (error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'connection_needed') throw error;
      await signIn(name);
      return await asked();
    });
  }

  async function callTool(editor: Client, server: string, call: Call): Promise<void> {
    for (let tried = 0; tried < most_tries; tried++) {
      const { isError, content, _meta } = await editor.callTool(call);
      if (isError !== true) return;
      const problem = _meta?.['gantry/problem'];
      if (problem === 'question_waits') await answerQuestions();
      else if (problem === 'connection_needed') await signIn(server);
      else return void process.stderr.write(`${server} ${call.name}: ${JSON.stringify(content)}\n`);
    }
  }

  /** With the values that the server suggests. */
  async function answerQuestions(): Promise<void> {
    const { items } = await client.call('tool_questions.waiting', { query: {} });
    for (const { id, fields } of items) {
      const values = Object.fromEntries(
        fields.flatMap((field) => (field.default === null ? [] : [[field.name, field.default]])),
      );
      await client.call('tool_questions.answer', { params: { id }, body: { action: 'accept', values } });
    }
  }

  async function signIn(name: string): Promise<void> {
    const { id } = await client.call('connections.ask', { params: { name } });
    const { address } = await client.call('connections.begin', { params: { id } });
    const answered = await fetch(address, { redirect: 'manual' });
    const back = new URL(answered.headers.get('location') ?? '');
    const given = Object.fromEntries(back.searchParams) as { state: string; code: string; iss: string };
    await client.call('connections.finish', { body: { server: name, ...given } });
  }

  async function registered({ client_id = '', client_secret: value = '' }: Task['context']) {
    await client.call('secrets.set', { body: { name: client_secret, team: 'ml', value } });
    return { oauth: { client_id, secret: client_secret } };
  }

  return { perform };
}

/** Those that the suite names, else one of each tool. The service takes no null where the schema has none, so it is left out. */
function callsOf(tools: readonly Tool[], { toolCalls }: Task['context']): Call[] {
  const echoed = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  if (echoed !== undefined) return [{ name: 'json_schema_echo', arguments: { schema: echoed.inputSchema } }];
  const calls = toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: filled(inputSchema) }));
  return calls.map(({ name, arguments: given }) => ({
    name,
    arguments: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
  }));
}

function filled({ properties = {}, required = [] }: Tool['inputSchema']): Record<string, unknown> {
  const typeOf = (name: string) => (Reflect.get(properties, name) as { type?: string } | undefined)?.type;
  return Object.fromEntries(
    required.map((name) => [name, ['number', 'integer'].includes(typeOf(name) ?? '') ? 2 : 'text']),
  );
}
