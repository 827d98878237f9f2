import type { AssetDetail } from '@gantry/contract/assets/registry.ts';
import { useNavigate } from '@tanstack/react-router';

interface VersionChoiceProps {
  /** Its search parameter. */
  name: string;
  label: string;
  asset: AssetDetail;
  value: string;
}

/** One version of an agent, in the address. */
export function VersionChoice({ name, label, asset, value }: VersionChoiceProps) {
  const navigate = useNavigate();
  const choose = (version: string) =>
    void navigate({ to: '.', replace: true, search: ((before: object) => ({ ...before, [name]: version })) as never });
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(event.target.value)} className="field w-auto">
      {asset.versions.map(({ version, state }) => (
        <option key={version} value={version}>
          {version}
          {version === asset.serving_version ? ', serving' : state === 'draft' ? ', draft' : ''}
        </option>
      ))}
    </select>
  );
}
