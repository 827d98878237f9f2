import { Field } from '../../parts/form/form.tsx';

/** For a user who leaves. */
export function AssetsTo({ where }: { where: string }) {
  return (
    <Field
      name="assets_to"
      label="New owner of their assets"
      type="email"
      placeholder="grace@example.com"
      help={`Needed when they own assets ${where}.`}
    />
  );
}
