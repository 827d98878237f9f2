import type { ProjectFiles } from '../agent-project/files.ts';
import type { Finding } from '../finding.ts';
import type { Framework } from '../frameworks.ts';
import { frameworkConflicts, type Conflict, type DeclaredRequirement } from '../requirements.ts';
import { fault } from './fault.ts';
import { readDependencies, type DeclaredDependencies } from './read-dependencies.ts';

export interface CheckedDependencies extends Omit<DeclaredDependencies, 'findings'> {
  /** Conflicts with the platform's own packages that no resolver could satisfy. */
  conflicts: Conflict[];
}

/** Adds its faults to the findings. */
export function checkDependencies(
  files: ProjectFiles,
  framework: Framework | undefined,
  findings: Finding[],
): CheckedDependencies {
  const { findings: found, ...declared } = readDependencies(files);
  const conflicts =
    framework === undefined
      ? []
      : [declared.unlocked, declared.constraints].flatMap((asked) => frameworkConflicts(framework, asked));
  findings.push(...found, ...conflicts.map(conflictFinding), ...ownFormatFindings(declared.requirements));
  return { ...declared, conflicts };
}

function conflictFinding({ required_by, remedy }: Conflict): Finding {
  const [user, platform] = required_by;
  const [, file = '', line = '1'] = /^(.*):(\d+)$/.exec(user?.source ?? '') ?? [];
  const message = `\`${user?.spec}\` conflicts with \`${platform?.spec}\`, which the service needs`;
  return fault({ file, line: Number(line) }, 'dependency_conflict', message, { suggestion: remedy });
}

/** Clients that call models in a vendor's own format alone. */
const ownFormatClients: Readonly<Record<string, string>> = {
  'google-generativeai': 'Gemini over gRPC',
  'langchain-google-vertexai': 'Vertex AI',
  'langchain-aws': 'Amazon Bedrock',
};

function ownFormatFindings(requirements: readonly DeclaredRequirement[]): Finding[] {
  return requirements.flatMap(({ name, file, line }) => {
    const format = Object.hasOwn(ownFormatClients, name) ? ownFormatClients[name] : undefined;
    if (format === undefined) return [];
    const message = `\`${name}\` calls ${format} in its own format, which the gateway does not speak yet, so the container has no variables for it`;
    const suggestion = name.startsWith('google')
      ? 'Call the model with google-genai.'
      : 'Call the model in the format of OpenAI, such as with langchain-openai.';
    return [fault({ file, line }, 'model_format', message, { severity: 'warning', suggestion })];
  });
}
