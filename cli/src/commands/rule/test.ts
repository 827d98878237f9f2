import { defineCommand, required } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { describeFindings } from '../../project/describe-findings.ts';
import { bad, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'rule test',
  summary: 'Run the tests beside the rules on calls of tools; a push runs them too',
  needs: 'asset.read',
  examples: [
    'svc rule test agent.yaml',
    'svc rule test bank.yaml',
    'svc rule test bank --json',
    'svc rule test tools/find-pet',
  ],
  arguments: {
    what: required(
      'An agent.yaml, a file with the config of an MCP server or of a tool, the name of a server, or tools/<name>',
    ),
  },
  flags: {},
  async run({ what }, session) {
    const { findingsOf } = await import('@gantry/project/call-rules/test-findings.ts');
    const { runGivenTests } = await import('../../rules/read-policies.ts');
    const { file, text, results } = await runGivenTests(session, what);
    const findings = findingsOf(results, { text, file });
    const count = (number: number) => (number === 1 ? 'one test' : `${number} tests`);
    const verdict =
      findings.length > 0
        ? line(bad('✗ '), `${findings.length} of ${count(results.length)} of rules fail`)
        : results.length === 0
          ? line(`${file} has no tests of rules: add \`rule_tests\``)
          : line(good('✓ '), `${count(results.length)} of rules pass`);
    return {
      data: { file, results },
      view: [...describeFindings(findings), verdict],
      exit: findings.length === 0 ? exitCodes.done : exitCodes.refused,
    };
  },
});
