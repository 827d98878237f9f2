import { Problem } from '@gantry/contract/problems.ts';
import type { Described } from '../replicas/platform.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { makeDescription, makeSecret, recordDescription } from './made.ts';
import { finished } from './operations.ts';
import { brokenRules } from './plan-rules.ts';
import { requestsOf } from './plan.ts';
import { findPool } from './pools.ts';
import { annotation, digestOf, poolId, redescription } from './requests.ts';
import { writeSecret } from './secret-values.ts';

/** Makes what the revision needs, and nothing for a description that is there. Throws `start_failed` for one that Google would refuse. */
export async function describeRevision(run: CloudRun, described: Described, signal: AbortSignal): Promise<void> {
  const { name, fence, agent, revision_id } = described;
  const requests = requestsOf(described, run, { key: run.sealingKey(revision_id) });
  const broken = brokenRules(requests);
  if (broken.length > 0) throw new Problem('start_failed', { detail: broken.join(' ') });
  const known = await findPool(run, poolId(name), signal);
  const { template } = requests.description.body;
  if (known?.annotations[annotation.digest] === digestOf(template)) return;
  const of = { name, agent, revision_id };
  if (known !== undefined) {
    if (Number(known.annotations[annotation.fence]) > fence)
      throw new Error(`The worker pool ${poolId(name)} has a newer fence`);
    await recordDescription(run, { ...of, template });
    return await finished(run.google, redescription(described, run, { template, etag: known.etag }), signal);
  }
  await recordDescription(run, { ...of, template });
  await makeSecret(run, { ...of, request: requests.secret }, signal);
  // Cloud Run checks that its version is there, and that the service account may read it.
  await writeSecret(run, { ...of, files: {} }, signal);
  await makeDescription(run, requests.description, signal);
}
