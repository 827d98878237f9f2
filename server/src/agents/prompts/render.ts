import type { RenderedPrompt } from '@gantry/contract/agents/prompts.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { promptOfDigest } from '../../assets/registry/prompts/prompts-of-agent.ts';
import { findPromptVersion } from './find-prompt-version.ts';
import { requireRendered } from './require-rendered.ts';

interface Asked {
  name: string;
  /** MAJOR.MINOR.PATCH, a label, or `latest`. */
  version: string;
  variables: Record<string, string>;
}

/** The text of a prompt with these values. Throws `not_found`, the refusal, and what `requireRendered` throws. */
export async function renderForPerson(
  db: Database,
  caller: Caller,
  { name, version: wanted, variables }: Asked,
): Promise<RenderedPrompt> {
  const asset = await loadAsset(db, { kind: 'prompt', name }, caller);
  authorize(signedIn(caller), 'asset.invoke', asset);
  const { version, digest, label } = await findPromptVersion(db, asset, wanted);
  const ref = printVersionRef({ kind: 'prompt', name, version });
  const config = await promptOfDigest(db, digest);
  if (config === undefined)
    throw new Problem('not_found', {
      detail: `The config of ${ref} is no longer accepted.`,
      hint: `Change it: svc registry prompt edit ${name}`,
    });
  return { ref, label, digest, messages: requireRendered(ref, config, variables) };
}
