import { modelProviders } from '@gantry/project/model-providers.ts';
import { agentFlag } from '../../agent/agent-name.ts';
import { choice, defineCommand, optional, text, whole } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { refuseName } from '../../model/refuse-name.ts';
import type { Result } from '../../result.ts';

const tokens = { least: 1, most: 100_000_000 };

export const command = defineCommand({
  words: 'model add',
  summary:
    'Add a model of a provider, or of a server on this machine; asks for the credential, which never is an argument',
  needs: 'asset.create',
  examples: [
    'svc model add gpt-4o --provider openai',
    'svc model add large --provider acme --model acme-large-2 --base-url https://models.example.com/v1 --secret ACME_KEY --max-output 8192 < key',
    'svc model add pro --provider vertex --model gemini-2.5-pro --project acme-1 --region europe-west4 < service-account.json',
    'svc model add --file models.yaml',
    'svc model add --from-agent support',
    'svc model add',
  ],
  arguments: {
    name: optional('Its name for agents; without one, models of a local Ollama, vLLM or LM Studio are offered'),
  },
  flags: {
    provider: text(`${Object.keys(modelProviders).join(', ')}, or a name of your own with --base-url`, 'name'),
    model: text('Its name at the provider (default: the same name)', 'name'),
    baseUrl: text('Its address (default: that of the provider)', 'address'),
    apiVersion: text('The api-version of a deployment of Azure', 'version'),
    project: text('The project of Vertex AI', 'id'),
    region: text('The region of Vertex AI, or global', 'name'),
    secret: text('The secret of the team for the credential (default: such as OPENAI_API_KEY)', 'name'),
    maxOutput: whole('Its longest answer (default: as its vendor publishes it)', 'tokens', tokens),
    context: whole('Its largest context (default: as its vendor publishes it)', 'tokens', tokens),
    type: choice('Its output, default chat', ['chat', 'embedding', 'rerank'] as const),
    fromAgent: agentFlag('Take its key of a provider, from its project in this folder or from its secrets'),
    file: {
      ...text('A YAML file with `models: {<name>: <config>}`; without changes it can be given again', 'path'),
      short: 'f',
    },
  },
  async run(
    { name, provider, model, baseUrl, apiVersion, project, region, secret, maxOutput, context, type, fromAgent, file },
    session,
  ): Promise<Result> {
    if (file !== undefined) {
      if (name !== undefined) throw misuse('Give a name or --file, not both');
      return await (await import('../../model/add-file.ts')).addFile(session, file);
    }
    if (fromAgent !== undefined) {
      const { addFromAgent } = await import('../../model/add-from-agent.ts');
      return await addFromAgent(session, { agent: fromAgent, name, model, provider });
    }
    if (name === undefined) return await (await import('../../model/add-local.ts')).addLocal(session);
    if (provider === undefined)
      throw misuse('--provider is needed', 'Name one, such as --provider openai. Any other name needs --base-url.');
    refuseName(name, `--provider ${provider} --model ${model ?? name}`);
    const { addOne } = await import('../../model/add-one.ts');
    return await addOne(session, {
      name,
      provider,
      model: model ?? name,
      base_url: baseUrl,
      api_version: apiVersion,
      project,
      region,
      secret,
      type,
      max_output_tokens: maxOutput,
      context_window_tokens: context,
    });
  },
});
