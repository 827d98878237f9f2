// The input and the result of a push run. Both are stored as JSON.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { LockedProject } from '@gantry/project/dependencies/locked-project.ts';
import type { RequiredPython } from '@gantry/project/dependencies/pyproject-metadata.ts';
import type { ResolverLines } from '@gantry/project/dependencies/resolver-lines.ts';
import type { ManifestFile } from '../content.ts';

export interface PushInput {
  /** Null for a new agent. */
  asset_id: string | null;
  team_id: string;
  owner_id: string;
  config: AgentConfig;
  manifest: ManifestFile[];
  /** sourceDigest() of config and manifest. */
  source: string;
  /** `locked`: the project's uv.lock. The run reads its text from the pushed files. */
  dependencies: ResolverLines & {
    locked?: LockedProject;
    requires_python: RequiredPython[];
    preferred_python?: string;
  };
  message: string;
  notices: string[];
  origin: { request_id: string | null; ip: string | null };
}

export interface PushResult {
  asset_id: string;
  version_id: string;
  digest: string;
  /** This exact content existed already. */
  unchanged: boolean;
}
