import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useQuery } from '@tanstack/react-query';
import { Action } from '../../../parts/action/action.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';
import { useDeploy } from './use-deploy.ts';

/** The deploy of an earlier version. The head deploys the newest one. */
export function DeployVersion({ asset, version }: { asset: AssetDetail; version: string }) {
  const { name, serving_version, latest_version } = asset;
  const deploy = useDeploy(name);
  const isOther = version !== serving_version && version !== latest_version;
  const { data: check } = useQuery({
    ...ask('orchestrations.check', { params: { name }, query: { version } }),
    enabled: isOther,
  });
  if (!isOther) return null;
  return (
    <div className="mb-6 flex flex-col items-start gap-3">
      <Action
        can={check?.can['orchestrations.deploy']}
        svc={`svc orchestration deploy ${name} --version ${version}`}
        isBusy={deploy.isPending}
        onPress={() => deploy.mutate({ params: { name }, body: { version } })}
      >
        Deploy {version}
      </Action>
      {deploy.error !== null && <Refusal error={deploy.error} />}
    </div>
  );
}
