// Where agents run: rollbacks, takeovers, reconciling, several instances, and what an idle agent costs the service.
import { install } from '../e2e/installation.ts';
import { adminOf } from '../e2e/api.ts';
import { measureIdleAgents } from './placement/idle-agents.ts';
import { measureInstances } from './placement/instances.ts';
import { measureReconcile } from './placement/reconcile.ts';
import { measureRollback } from './placement/rollback.ts';
import { measureTakeover } from './placement/takeover.ts';
import type { Row } from './report/row.ts';

interface Size {
  /** The numbers of idle agents, ascending. With the two before them, the last ones are reconciled. */
  agents: readonly number[];
  rounds: number;
  load_ms: number;
}

const whole: Size = { agents: [10, 20, 30], rounds: 4, load_ms: 6000 };
const quick: Size = { agents: [2, 5], rounds: 2, load_ms: 3000 };

export async function measure(options: { quick: boolean }): Promise<Row[]> {
  const size = options.quick ? quick : whole;
  const takeover = await measureTakeover(size);
  const installation = await install({ LOG_LEVEL: 'warn', WARM_SECONDS: '3600' });
  try {
    const on = { installation, client: await adminOf(installation) };
    const rollback = await measureRollback(on, size);
    const instances = await measureInstances(on, size);
    const idle = await measureIdleAgents(on, size);
    return [...rollback, ...takeover, ...(await measureReconcile(on)), ...instances, ...idle];
  } finally {
    await installation.stop();
  }
}
