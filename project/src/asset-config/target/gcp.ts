import { z } from 'zod';
import { kind } from './kind.ts';

const project = '[a-z][a-z0-9-]{4,28}[a-z0-9]';

/** A region of a project of Google Cloud. */
export const gcp = kind({
  fields: {
    service_account: z
      .string()
      .regex(
        new RegExp(`^[a-z][a-z0-9-]{4,28}[a-z0-9]@${project}\\.iam\\.gserviceaccount\\.com$`),
        'is no service account: <name>@<project>.iam.gserviceaccount.com',
      )
      .optional()
      .describe('The identity of agents in Google Cloud. It needs no right except to read their secrets'),
  },
  check({ address, ca, service_account, registry }, fault) {
    const [, name] = new RegExp(`^projects/(${project})/locations/[a-z]+-[a-z]+[0-9]{1,2}$`).exec(address ?? '') ?? [];
    if (name === undefined) fault('address', 'is not projects/<project>/locations/<region>');
    if (service_account === undefined) fault('service_account', 'is missing; Google Cloud needs it');
    else if (name !== undefined && !service_account.endsWith(`@${name}.iam.gserviceaccount.com`))
      fault('service_account', `is of another project than ${name}`);
    if (ca !== undefined) fault('ca', 'does not belong to `kind: gcp`');
    // An access token is the password of this registry.
    if (!new RegExp(`^https://[a-z0-9-]+-docker\\.pkg\\.dev/${project}(/[a-z0-9][a-z0-9._-]*){2,}$`).test(registry))
      fault('registry', 'is not https://<location>-docker.pkg.dev/<project>/<repository>/<image>');
  },
});
