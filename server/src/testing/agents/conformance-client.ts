// The command that the conformance suite starts for each of its servers. It passes the task on to the test, which has the service, and ends when
// the service has done it.
import type { Task } from './conformance-person.ts';

const [driver = '', url = ''] = process.argv.slice(2);
// oxlint-disable-next-line node/no-process-env -- the suite says it so
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env;
const context = JSON.parse(given) as Task['context']; // of the suite
const task: Task = { scenario, url, context };
const done = await fetch(driver, { method: 'POST', body: JSON.stringify(task) });
process.stderr.write(await done.text());
process.exitCode = done.ok ? 0 : 1;
