// A service with two models of team ml, at an upstream that keeps a journal.
import { modelUpstream, type ModelUpstream } from './model-upstream.ts';
import { testApp, type TestApp, type TestAppSettings, type TestUser } from '../test-app.ts';

export interface ModelStage {
  app: TestApp;
  upstream: ModelUpstream;
  /** An admin of team ml. */
  max: TestUser;
  /** The answer to a call to a model. */
  call(key: string | undefined, more?: CallOptions): Promise<Answered>;
  stop(): Promise<void>;
}

interface Answered {
  status: number;
  /** The code of a refusal. */
  code: string | undefined;
  message: string | undefined;
}

interface CallOptions {
  model?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
}

/** Models `small` and `large`; a token costs $0.0001, and each call uses 30. */
export async function modelStage({
  config,
  ...settings
}: Pick<TestAppSettings, 'onLog' | 'config'> = {}): Promise<ModelStage> {
  const upstream = await modelUpstream();
  const app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [upstream.host], ...config },
    ...settings,
  });
  const max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  for (const name of ['small', 'large'])
    await max.client.call('registry.create', {
      params: { kind: 'model' },
      body: {
        name,
        team: 'ml',
        visibility: 'team',
        config: {
          provider: 'test',
          model: `upstream-${name}`,
          base_url: upstream.base_url,
          price_usd_per_million: { input: '100', output: '100' },
        },
      },
    });
  return {
    app,
    upstream,
    max,
    call: async (key, { model = 'small', url = app.url, headers = {}, body = {} } = {}) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify({ model, max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }], ...body }),
      });
      const answer = (await response.json()) as { error?: { code: string; message: string } };
      return { status: response.status, code: answer.error?.code, message: answer.error?.message };
    },
    stop: async () => {
      await app.stop();
      await upstream.stop();
    },
  };
}
