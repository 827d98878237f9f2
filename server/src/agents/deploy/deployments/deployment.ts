// The view of a deploy: the request and the state of its run.
import { operationSteps, type Deployment, type Operation } from '@gantry/contract/agents/deploy.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findRuns, type RunRow } from '../../../ground/runs/run.ts';
import type { DeployInput, DeployResult } from '../deploy-run.ts';
import type { DeploymentRow } from '../store.ts';

export async function deploymentRecords(db: Reader, rows: readonly DeploymentRow[]): Promise<Deployment[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ run_id }) => run_id);
  const runs = new Map((await findRuns<OfOperation, DeployResult>(db, ids)).map((run) => [run.id, run]));
  return rows.flatMap((row) => {
    const run = runs.get(row.run_id);
    return run === undefined ? [] : [toDeployment(row, run)];
  });
}

/** An input of operate/operation.ts has the number of instances. */
type OfOperation = DeployInput & { instances?: number };

function toDeployment(row: DeploymentRow, run: RunRow<OfOperation, DeployResult>): Deployment {
  const { run_id: id, operation, agent, version, digest, target, approval_id, created_at } = row;
  return {
    id,
    operation,
    ref: printVersionRef({ kind: 'agent', name: agent, version }),
    agent,
    version,
    digest,
    target,
    instances: operation === 'scale' ? (run.input.instances ?? null) : null,
    state: run.state,
    actor: run.actor.name,
    approval_id: run.result?.approval_id ?? approval_id,
    endpoint: run.result?.endpoint ?? null,
    example_input: run.result?.example_input ?? null,
    audit_seq: run.result?.audit_seq ?? null,
    cost: null,
    notices: run.notices,
    problem: run.problem,
    steps: allSteps(operation, run.steps),
    created_at,
    ended_at: run.ended_at,
  };
}

// All steps in their order, including steps that have not begun, but no inner steps.
function allSteps(operation: Operation, begun: Deployment['steps']): Deployment['steps'] {
  return operationSteps[operation].map((name, index) => {
    const step = begun.find((one) => one.name === name);
    return step ?? { n: index + 1, name, state: 'pending', started_at: null, ended_at: null, problem: null };
  });
}
