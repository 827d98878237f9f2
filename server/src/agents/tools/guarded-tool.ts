// A call of a tool under the guardrails of its agent: the arguments before anything else reads them, the result before the agent gets it.
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import { askJudge } from '../../models/gateway/judging/ask-judge.ts';
import { GuardedCall, nothingGiven } from '../../models/guardrails/guarded-call.ts';
import { checkTexts, type DocumentForm, type DocumentText } from '../../models/guardrails/json-texts.ts';
import { requiredRules } from '../../models/guardrails/make-rules.ts';
import { JudgeFailed, type Rule } from '../../models/guardrails/rule.ts';
import { keyCaller } from '../../models/keys/calls/key-caller.ts';
import { servingConfig } from '../deploy/serving/serving-config.ts';
import type { ToolCaller } from './admit-call.ts';
import type { ToolParts } from './parts.ts';

interface CallToGuard extends Pick<OrgSettings, 'required_guardrails'> {
  caller: ToolCaller;
  /** Of the server. */
  team: { id: string; name: string };
  signal: AbortSignal;
}

/** Undefined without guardrails at tools. */
export async function guardTool(
  parts: ToolParts,
  { caller, team: { id: team_id, name: team }, required_guardrails, signal }: CallToGuard,
): Promise<GuardedCall | undefined> {
  if (caller.kind === 'agent') return await guardAgent(parts, caller, { required_guardrails, signal });
  // Those that the organisation requires where the server is.
  const rules = requiredRules(required_guardrails, team);
  if (!rules.some(isAtTools)) return undefined;
  return new GuardedCall(rules, {
    ask: () => async () => await Promise.reject(new JudgeFailed('a call of a person has no key that could pay for it')),
    given: nothingGiven,
    record: parts.guardrails.of({ agent_id: null, team_id, key_prefix: null, run_id: null }),
    signal,
  });
}

const isAtTools = ({ places }: Rule) => places.includes('tool_in') || places.includes('tool_out');

async function guardAgent(
  { db, models, guardrails }: ToolParts,
  { id, team, version_id, revision_id, key_id, run, origin }: AgentCaller,
  { required_guardrails, signal }: Pick<CallToGuard, 'required_guardrails' | 'signal'>,
): Promise<GuardedCall | undefined> {
  const own = await servingConfig(db, version_id);
  const rules = [...own.rules, ...requiredRules(required_guardrails, team.name)];
  if (!rules.some(isAtTools)) return undefined;
  const { run_id = null, root_run_id = null, caller_id = null, trace_id = null } = run ?? {};
  return new GuardedCall(rules, {
    ask: (rule, ending) => async (request) => {
      const payer = await keyCaller(db, key_id, origin);
      if (payer === undefined) throw new JudgeFailed('the agent has no key that could pay for it');
      const of_run = { revision_id, run_id, root_run_id, caller_id, trace_id };
      return await askJudge(await models(), { payer, run: of_run })(rule, ending)(request);
    },
    given: nothingGiven,
    record: guardrails.of({ agent_id: id, team_id: team.id, key_prefix: null, run_id }),
    signal,
  });
}

const none: ReadonlySet<string> = new Set();
/** Names and numbers of arguments are texts too. */
const ofArguments: DocumentForm = { identifiers: none, dropped: none, free: new Set(['args']) };
const ofResult: DocumentForm = {
  identifiers: new Set(['type', 'mimeType']),
  dropped: none,
  free: new Set(['structuredContent', '_meta']),
};

/** The arguments as they may go on; the given ones when nothing changes. Throws `Blocked`. */
export async function guardedArguments(
  guarded: GuardedCall | undefined,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (guarded === undefined) return args;
  const check = async (texts: readonly DocumentText[]) => await guarded.check('tool_in', texts);
  return (await checkTexts({ args }, ofArguments, check)).args;
}

/** Whatever a server has answered. Throws `Blocked`. */
export async function guardedTexts<Answer extends object>(
  guarded: GuardedCall | undefined,
  result: Answer,
): Promise<Answer> {
  if (guarded === undefined) return result;
  const check = async (texts: readonly DocumentText[]) =>
    await guarded.check(
      'tool_out',
      // Whatever the server says of it.
      texts.map(({ text }) => ({ text, source: 'tool_result' })),
    );
  return await checkTexts(result, ofResult, check);
}
