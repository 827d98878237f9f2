// orchestration.yaml: text → config, or every fault in it. The file maps local names to agents; the config has a list in the same order.
import { pointerOf } from './agent-yaml/explain.ts';
import { readAssetConfig } from './asset-config.ts';
import { inOrder, type Finding } from './finding.ts';
import { placeInFile, type OrchestrationConfig } from './orchestration-yaml/config.ts';
import {
  fallbacksWithoutEffect,
  fieldsOfOtherStrategies,
  orchestrationNotInEffect,
} from './orchestration-yaml/fields-in-effect.ts';
import { default_condition } from './orchestration-yaml/condition.ts';
import { readYaml, type YamlSource } from './read-yaml.ts';

export { type Condition } from './orchestration-yaml/condition.ts';
export {
  default_timeout_seconds,
  type OrchestrationConfig,
  type OrchestrationMember,
} from './orchestration-yaml/config.ts';
export { isOrchestration } from './orchestration-yaml/is-orchestration.ts';
export { leadOf } from './orchestration-yaml/lead.ts';
export { orchestrationYamlExample } from './orchestration-yaml/example.ts';
export { orchestrationFieldsInEffect, orchestrationNotInEffect } from './orchestration-yaml/fields-in-effect.ts';

export interface ParsedOrchestrationYaml {
  /** Present exactly when no finding is an error. */
  config?: OrchestrationConfig;
  findings: Finding[];
}

/** Never throws, for any text. */
export function parseOrchestrationYaml(text: string, file = 'orchestration.yaml'): ParsedOrchestrationYaml {
  const source = readYaml(text, file);
  if (source.value === null) {
    const suggestion = 'It needs at least name, version, team, strategy and agents.';
    return { findings: [source.finding('yaml_empty', 0, 'The file is empty', { suggestion })] };
  }
  const { config, findings } = readAssetConfig('orchestration', source);
  return config === undefined ? { findings } : { config, findings: inOrder([...findings, ...remarks(source, config)]) };
}

/** Findings about accepted values. */
function remarks(source: YamlSource, config: OrchestrationConfig): Finding[] {
  const at = (code: Finding['code'], path: readonly (string | number)[], sentence: string): Finding => {
    const pointer = pointerOf(path);
    const place = source.places.get(pointer);
    const offset = place?.key?.[0] ?? place?.value[0] ?? 0;
    return source.finding(code, offset, sentence, { severity: 'notice', pointer });
  };
  const { agents } = source.value as { agents: object }; // the schema accepted it
  return [
    ...orchestrationNotInEffect(config).map(({ field, sentence }) =>
      at('not_in_effect', field.split('.'), `\`${field}\` is not in effect: ${sentence}`),
    ),
    ...fieldsOfOtherStrategies(config).map(({ path, strategy }) => {
      const sentence = `\`${path.at(-1)}\` has no effect with \`strategy: ${config.strategy}\`; \`${strategy}\` reads it`;
      return at('not_in_effect', placeInFile(path, agents), sentence);
    }),
    ...(hasNoDefault(config)
      ? [at('no_default_route', ['strategy'], 'No route is `default`: an input that no condition fits is refused')]
      : []),
    ...fallbacksWithoutEffect(config).map(({ path, lead }) => {
      const sentence = `\`fallback\` has no effect here: it is the \`${lead}\`, which is never a worker`;
      return at('not_in_effect', placeInFile(path, agents), sentence);
    }),
  ];
}

/** A classifier refuses nothing for want of a route. */
function hasNoDefault({ strategy, agents, supervisor_config }: OrchestrationConfig): boolean {
  if (strategy !== 'router' || supervisor_config?.classifier !== undefined) return false;
  return !agents.some(({ routes = [] }) => routes.some(({ condition }) => condition === default_condition));
}
