import { SvcLine } from '../../parts/copy.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field, TextArea } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';

/** A credential goes in, and never comes out. */
export function CredentialForm({ name, kind, onClose }: { name: string; kind: string; onClose: () => void }) {
  const set = useSend('targets.set_credential', {
    changes: ['approvals', 'agents'],
    says: () => `targets/${name} has a new credential`,
  });
  return (
    <FormDialog
      title={`Credential of ${name}`}
      about="It is stored encrypted, and is never shown again. Approvals for this target end."
      sending={set}
      send="Set the credential"
      onSend={({ certificate = '', key = '', token = '', id = '', secret = '', username = '', password = '' }) =>
        set.mutate(
          {
            params: { name },
            body: {
              ...(certificate !== '' && { certificate }),
              ...(key !== '' && { key }),
              ...(id + secret !== '' && { access_key: { id, secret } }),
              ...(token !== '' && { token }),
              ...(username + password !== '' && { registry: { username, password } }),
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      {kind === 'aws' ? <AccessKey name={name} /> : <Certificate name={name} />}
    </FormDialog>
  );
}

/** ECR takes it too, so there is no login of a registry. */
function AccessKey({ name }: { name: string }) {
  return (
    <>
      <Field name="id" label="Id of the access key" help="Such as AKIA…" required />
      <Field name="secret" label="Secret of the access key" type="password" autoComplete="new-password" required />
      <SvcLine line={`svc target credential ${name} --access-key-id AKIA…`} />
    </>
  );
}

function Certificate({ name }: { name: string }) {
  return (
    <>
      <TextArea
        name="certificate"
        label="Certificate"
        isCode
        help="PEM: of the service, for an engine at tcp://. Empty for one at ssh://."
      />
      <TextArea
        name="key"
        label="Private key"
        isCode
        help="PEM: of the certificate, or of the user at ssh://. JSON: the key of a service account of Google, or the secret of an application of Azure."
      />
      <TextArea name="token" label="Token" isCode help="Of a service account of a cluster, instead of a certificate." />
      <Field name="username" label="User of the registry" help="Empty: the registry needs no login." />
      <Field name="password" label="Password of the registry" type="password" autoComplete="new-password" />
      <SvcLine line={`svc target credential ${name} --certificate cert.pem --key key.pem`} />
    </>
  );
}
