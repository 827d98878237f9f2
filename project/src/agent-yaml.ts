// agent.yaml: text → config, or every fault in it. `svc validate`, the push and step 1 of a deploy all run this function.
import { agentConfig, type AgentConfig } from './agent-yaml/config.ts';
import { isModelAccessName } from '@gantry/contract/agents/environment-names.ts';
import { explain, pointerOf } from './agent-yaml/explain.ts';
import { notInEffect } from './agent-yaml/fields-in-effect.ts';
import { formatNames, ownFormatOf, providerOfVariable, usualKind } from './model-providers.ts';
import { hasErrors, inOrder, type Finding } from './finding.ts';
import { readYaml, type YamlSource } from './read-yaml.ts';

export { targetFlag, targetOf, type AgentConfig } from './agent-yaml/config.ts';
export { agentJsonSchema } from './agent-yaml/json-schema.ts';
export { agentYamlExample } from './agent-yaml/example.ts';
export { bumpVersion, type VersionPart } from './agent-yaml/bump-version.ts';
export { fieldsInEffect, notInEffect } from './agent-yaml/fields-in-effect.ts';
export { resourceLimits, type ResourceLimits } from './agent-yaml/resources.ts';

export interface ParsedAgentYaml {
  /** Present exactly when no finding is an error. */
  config?: AgentConfig;
  findings: Finding[];
}

/** Never throws, for any text. */
export function parseAgentYaml(text: string, file = 'agent.yaml'): ParsedAgentYaml {
  const source = readYaml(text, file);
  if (source.value === undefined) return { findings: inOrder(source.findings) };
  if (source.value === null) {
    const suggestion = 'It needs at least name, version, team and framework; `svc init` writes one.';
    return { findings: [source.finding('yaml_empty', 0, 'The file is empty', { suggestion })] };
  }

  const parsed = agentConfig.safeParse(source.value);
  if (!parsed.success) {
    return { findings: inOrder([...source.findings, ...explain(source, parsed.error.issues)]) };
  }
  const findings = inOrder([...source.findings, ...remarks(source, parsed.data)]);
  return hasErrors(findings) ? { findings } : { config: parsed.data, findings };
}

/** The variables that would lead the agent's clients past the gateway. */
function modelAccessOf({ deploy }: AgentConfig): { path: string[]; name: string }[] {
  const inFile = Object.keys(deploy?.env_vars ?? {}).map((name) => ({ path: ['deploy', 'env_vars', name], name }));
  const secret = (deploy?.secrets ?? []).map((name, n) => ({ path: ['deploy', 'secrets', String(n)], name }));
  return [...inFile, ...secret].filter(({ name }) => isModelAccessName(name));
}

interface ModelFault {
  field: 'primary' | 'fallback';
  severity: Finding['severity'];
  message: string;
  suggestion: string;
}

/** By the names that vendors give. A push decides by the catalogue. */
function modelFormatsOf({ model }: AgentConfig): ModelFault[] {
  const { primary, fallback } = model ?? {};
  const unspoken = (['primary', 'fallback'] as const).flatMap((field): ModelFault[] => {
    const format = model?.[field] === undefined ? undefined : ownFormatOf(model[field]);
    if (format === undefined) return [];
    const message = `\`${model?.[field]}\` is a model of ${format}, whose own format the gateway does not speak yet`;
    return [{ field, severity: 'warning', message, suggestion: 'Call it at an endpoint in the format of OpenAI.' }];
  });
  const [from, to] = [primary, fallback].map((name) => (name === undefined ? undefined : usualKind(name)));
  // Gemini's models are often served in the format of OpenAI too, so the catalogue alone decides about them.
  if (from === undefined || to === undefined || from === to || from === 'gemini' || to === 'gemini') return unspoken;
  return [
    ...unspoken,
    {
      field: 'fallback',
      severity: 'error',
      message: `\`${fallback}\` is called in the format of ${formatNames[to]} and \`${primary}\` in that of ${formatNames[from]}; a fallback keeps the format`,
      suggestion: 'Name a fallback of the same format. A model that is served in both has an alias for each.',
    },
  ];
}

/** Findings about accepted values. */
function remarks(source: YamlSource, config: AgentConfig): Finding[] {
  const at = (
    path: readonly string[],
    code: Finding['code'],
    severity: Finding['severity'],
    message: string,
    suggestion?: string,
  ): Finding => {
    const pointer = pointerOf(path);
    const place = source.places.get(pointer);
    return source.finding(code, place?.key?.[0] ?? place?.value[0] ?? 0, message, { severity, pointer, suggestion });
  };
  return [
    ...notInEffect(config).map(({ field, sentence }) =>
      at(field.split('.'), 'not_in_effect', 'notice', `\`${field}\` is not in effect: ${sentence}`),
    ),
    ...((config.guardrails ?? []).length > 0 && config.deploy?.egress === undefined
      ? [
          at(
            ['guardrails'],
            'egress_open',
            'notice',
            '`guardrails` check only calls through the gateway: while `agent_egress` is open, the agent can pass it',
            'List its outside destinations in `deploy.egress`; an empty list allows only the gateway.',
          ),
        ]
      : []),
    ...(config.access?.visibility === 'public'
      ? [
          at(
            ['access', 'visibility'],
            'public_means_org',
            'notice',
            '`public` means `org` here: nothing is readable without a sign-in',
          ),
        ]
      : []),
    ...modelFormatsOf(config).map(({ field, severity, message, suggestion }) =>
      at(['model', field], 'model_format', severity, message, suggestion),
    ),
    ...modelAccessOf(config).map(({ path, name }) =>
      at(
        path,
        'model_access',
        'error',
        `\`${name}\` would bypass the model gateway, its budgets and its log`,
        `Remove it: the container gets the address of the gateway and a key of its own. ${insteadOf(name, config)}`,
      ),
    ),
  ];
}

/** The gateway takes over the key of a provider that it knows. */
function insteadOf(variable: string, { name, model }: AgentConfig): string {
  return providerOfVariable(variable) === undefined
    ? 'Its provider is called through an endpoint in the format of OpenAI: svc model add <name> --provider <name of your own> --base-url <address>'
    : `The model takes the key over: svc model add ${model?.primary === undefined ? '<its name at the provider> ' : ''}--from-agent ${name}`;
}
