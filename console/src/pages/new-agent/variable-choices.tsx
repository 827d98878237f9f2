import { isModelAccessName, whyReserved } from '@gantry/contract/agents/environment-names.ts';
import type { FieldValue } from '@gantry/project/agent-yaml/put-fields.ts';
import type { Written } from './written.ts';

interface VariableChoicesProps {
  /** Those that the project's files list. */
  names: readonly string[];
  deploy: Written['deploy'];
  put: (...fields: FieldValue[]) => void;
}

type Kind = 'none' | 'secret' | 'value';

const kinds: Record<Kind, string> = { none: 'leave out', secret: 'a secret', value: 'a value' };

/** For each variable, whether its value is a secret of the service or a text in the file. */
export function VariableChoices({ names, deploy: { secrets, env_vars }, put }: VariableChoicesProps) {
  const given = names.filter(isModelAccessName);
  const others = names.filter((name) => !isModelAccessName(name) && whyReserved(name) === undefined);
  const all = [...new Set([...others, ...secrets, ...Object.keys(env_vars)])];
  const choose = (name: string, kind: Kind, value = '') => {
    const kept = Object.fromEntries(Object.entries(env_vars).filter(([each]) => each !== name));
    const values = kind === 'value' ? { ...env_vars, [name]: value } : kept;
    const named = secrets.filter((each) => each !== name).concat(kind === 'secret' ? [name] : []);
    put(
      { path: ['deploy', 'secrets'], value: named.length === 0 ? undefined : named },
      { path: ['deploy', 'env_vars'], value: Object.keys(values).length === 0 ? undefined : values },
    );
  };
  if (all.length === 0 && given.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-strong">Variables</legend>
      {all.map((name) => {
        const kind = secrets.includes(name) ? 'secret' : Object.hasOwn(env_vars, name) ? 'value' : 'none';
        return (
          <div key={name} className="flex flex-wrap items-center gap-2">
            <span className="min-w-40 flex-1 font-mono text-meta break-all">{name}</span>
            <select
              aria-label={`${name} is`}
              value={kind}
              onChange={({ target }) => choose(name, target.value as Kind) /* its options are the kinds */}
              className="field w-auto"
            >
              {Object.entries(kinds).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
            {kind === 'value' && (
              <input
                aria-label={`Value of ${name}`}
                value={env_vars[name]}
                onChange={({ target }) => choose(name, 'value', target.value)}
                autoComplete="off"
                className="field"
              />
            )}
          </div>
        );
      })}
      <p className="text-meta text-quiet">
        From files such as .env.example; their values are not sent. A value is readable for those who can edit the
        agent.
        {secrets.length > 0 &&
          ' Set each secret on the page Secrets of the agent, after the push and before its deploy.'}
      </p>
      {given.length > 0 && (
        <p className="text-meta break-words text-quiet">
          The service gives it {given.join(', ')}, with a key of its own.
        </p>
      )}
    </fieldset>
  );
}
