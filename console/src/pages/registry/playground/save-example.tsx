import { Field } from '../../../parts/form/form.tsx';
import { FormDialog } from '../../../parts/form/form-dialog.tsx';
import { useSend } from '../../../parts/action/use-send.ts';

interface SaveProps {
  name: string;
  values: Readonly<Record<string, string>>;
  onSaved: (example: string) => void;
  onClose: () => void;
}

export function SaveExample({ name, values, onSaved, onClose }: SaveProps) {
  const add = useSend('prompts.add_example', {
    says: (stored) => `${stored.name} is an example of ${name}`,
  });
  return (
    <FormDialog
      title={`Save the values as an example of ${name}`}
      about="Everybody who may read the prompt reads its examples: store no secrets and nothing about persons."
      send="Save the example"
      sending={add}
      onClose={onClose}
      onSend={({ example = '', expected = '' }) =>
        add.mutate(
          {
            params: { name },
            body: { name: example, variables: { ...values }, ...(expected !== '' && { expected }) },
          },
          {
            onSuccess: ({ answer }) => {
              onSaved(answer.name);
              onClose();
            },
          },
        )
      }
    >
      <Field name="example" label="Name" required help="Such as short, in lower case." />
      <Field name="expected" label="A good answer" help="What it has, for the reader. Nothing checks it." />
    </FormDialog>
  );
}
