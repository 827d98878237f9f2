import { bumpVersion, parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useNavigate } from '@tanstack/react-router';
import { Difference } from '../../../parts/code/code.tsx';
import { SvcLine } from '../../../parts/copy.tsx';
import { Dialog } from '../../../parts/form/dialog.tsx';
import { Field, Form } from '../../../parts/form/form.tsx';
import { showReceipt } from '../../../parts/action/receipt.tsx';
import { send } from '../../../server.ts';
import { Steps } from '../../new-agent/push.tsx';
import { usePush } from '../../new-agent/use-push.ts';

interface NewVersionProps {
  asset: AssetDetail;
  /** The version whose files the new one takes. */
  version: string;
  text: string;
  draft: string;
  onPushed: () => void;
  onClose: () => void;
}

/** The files of a version with another agent.yaml, pushed as a version of its own. */
export function NewVersion({ asset: { name, versions }, version, text, draft, onPushed, onClose }: NewVersionProps) {
  const next = withFreeVersion(
    draft,
    versions.map((each) => each.version),
  );
  const ref = `${name} ${parseAgentYaml(next).config?.version ?? ''}`;
  const navigate = useNavigate();
  const { progress, pushing } = usePush({
    name,
    files: async () => await filesOf(name, version, next),
    onPushed: ({ ref: pushed }) => {
      onPushed();
      showReceipt({ says: `${pushed} is in the registry`, entries: [] });
      // What can be done with it is there.
      void navigate({ to: '/agents/$name/revisions', params: { name } });
    },
  });
  return (
    <Dialog
      title={`A new version of ${name}`}
      about={`The files of ${version}, with this agent.yaml. The service checks and locks them as every push.`}
      isOpen
      onClose={onClose}
      wide
    >
      <div className="flex flex-col gap-4">
        <Difference before={text} after={next} path="agent.yaml" />
        {progress.length > 0 && <Steps progress={progress} />}
        <Form
          error={pushing.error}
          isSending={pushing.isPending}
          send={`Push ${ref}`}
          onSend={({ message = '' }) => pushing.mutate(message)}
        >
          <Field name="message" label="Message" help="Reviewers read it." placeholder="optional" maxLength={4000} />
        </Form>
        <p className="text-meta text-quiet">
          From the folder of the project: <SvcLine line={'svc submit --message "…"'} />
        </p>
      </div>
    </Dialog>
  );
}

async function filesOf(name: string, version: string, agent_yaml: string): Promise<Map<string, Uint8Array>> {
  const of = { kind: 'agent', name, version } as const;
  const { answer: listed } = await send('registry.files', { params: of });
  const files = new Map<string, Uint8Array>();
  for (const { path } of listed) {
    const { answer } = await send('registry.show_file', { params: of, query: { path } });
    const text = path === 'agent.yaml' ? agent_yaml : answer.text;
    if (text === null)
      throw new Problem('conflict', {
        detail: `${path} of ${version} is no text that the service shows.`,
        hint: 'Push from the folder of the project.',
      });
    files.set(path, new TextEncoder().encode(text));
  }
  return files;
}

/** A version that exists may be final, so the draft takes the next free number. */
function withFreeVersion(draft: string, taken: readonly string[]): string {
  let text = draft;
  let version = parseAgentYaml(draft).config?.version;
  while (version !== undefined && taken.includes(version)) {
    const bumped = bumpVersion(text, 'patch');
    [text, version] = [bumped?.text ?? text, bumped?.version];
  }
  return text;
}
