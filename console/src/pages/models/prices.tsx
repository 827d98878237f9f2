import { nextVersion } from '@gantry/project/agent-yaml/bump-version.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import type { Model } from '@gantry/contract/models/models.ts';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { count } from '../../parts/figures/figures.ts';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Facts, Section } from '../../parts/page/page.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import type { Config } from '../registry/read-config.ts';
import { fromWhere, rate } from './price.ts';

type Asset = Answer<Endpoints['registry.show']>;

const classes = [
  ['input', 'Input'],
  ['cached_input', 'Cached input'],
  ['cache_write', 'Cache write'],
  ['output', 'Output'],
] as const;

export function Prices({ model, asset }: { model: Model; asset: Asset | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const { name, price } = model;
  return (
    <Section title="Price for a million tokens" aside={fromWhere(model)}>
      {price === null ? (
        <p className="text-quiet">Without a price, its calls cannot be counted against a budget.</p>
      ) : (
        <Facts
          facts={[
            ...classes
              .filter(([each]) => price.usd_per_million[each] !== undefined)
              .map(([each, label]) => [label, rate(price, each)] as const),
            ...price.tiers.map(
              ({ above_input_tokens, usd_per_million }) =>
                [
                  `Above ${count(above_input_tokens)} tokens`,
                  `${usd_per_million['input'] ?? '–'} / ${usd_per_million['output'] ?? '–'}`,
                ] as const,
            ),
          ]}
        />
      )}
      <div className="mt-3">
        <Action
          can={asset?.can['registry.edit']}
          svc={`svc model price set ${name} --input … --output …`}
          onPress={() => setOpen(true)}
        >
          Set its own price
        </Action>
      </div>
      {isOpen && asset !== undefined && <PriceForm model={model} asset={asset} onDone={() => setOpen(false)} />}
    </Section>
  );
}

function PriceForm({ model, asset, onDone }: { model: Model; asset: Asset; onDone: () => void }) {
  const { name, price } = model;
  const set = useSend('registry.edit', {
    changes: ['models'],
    says: ({ latest_version }) => `models/${name}@${latest_version ?? ''} has a new price`,
  });
  const version = nextVersion(asset.latest_version ?? '0.0.0', 'patch');
  return (
    <FormDialog
      title={`Price of ${name}`}
      about="A new version of its config. Calls under way keep the old price."
      sending={set}
      send="Set the price"
      onSend={(values) => {
        const price_usd_per_million = Object.fromEntries(
          classes.flatMap(([each]) =>
            values[each] === undefined || values[each] === '' ? [] : [[each, values[each]]],
          ),
        );
        const config = { ...asset.config, price_usd_per_million } as Config; // JSON, as it came
        set.mutate({ params: { kind: 'model', name }, body: { version, config } }, { onSuccess: onDone });
      }}
      onClose={onDone}
    >
      {classes.map(([each, label]) => (
        <Field
          key={each}
          name={each}
          label={`${label}, dollars for a million tokens`}
          defaultValue={price?.usd_per_million[each]}
          inputMode="decimal"
        />
      ))}
    </FormDialog>
  );
}
