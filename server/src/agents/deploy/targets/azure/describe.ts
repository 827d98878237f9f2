import { Problem } from '@gantry/contract/problems.ts';
import type { Described } from '../replicas/platform.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { findDescription, recordDescription } from './made.ts';
import { brokenRules } from './plan-rules.ts';
import { replica, template } from './requests.ts';

/** Records how replicas of the revision start. A repeated description changes nothing. Throws `start_failed` for one that Azure would refuse. */
export async function describeRevision(run: AzureRun, described: Described): Promise<void> {
  const { name, fence, agent, revision_id } = described;
  const own = template(described);
  const broken = brokenRules(replica(described, run, { number: 1, template: own, fence, key: '', sealed: '' }));
  if (broken.length > 0) throw new Problem('start_failed', { detail: broken.join(' ') });
  const known = await findDescription(run, name);
  if (known !== undefined) {
    if (JSON.stringify(known.template) === JSON.stringify(own)) return;
    if (known.fence > fence) throw new Error(`The description ${name} has a newer fence`);
  }
  await recordDescription(run, { name, revision_id, agent, fence, template: own });
}
