/** What an admin says about a place in Google Cloud where agents run. */
export interface CloudRunSettings {
  project: string;
  region: string;
  /** The identity of every replica. With it, Cloud Run reads the secret of the revision. */
  service_account: string;
  /** The repository of Artifact Registry as an address: `https://<location>-docker.pkg.dev/<project>/<repository>/<image>`. */
  registry: string;
  /** The door, as a replica finds it. */
  service_url: string;
}

/** `projects/<project>/locations/<region>` */
export const placeOf = ({ project, region }: Pick<CloudRunSettings, 'project' | 'region'>): string =>
  `projects/${project}/locations/${region}`;

/** The address of a target, whose config has checked its form. */
export function settingsAt(address: string, others: Omit<CloudRunSettings, 'project' | 'region'>): CloudRunSettings {
  const [, project = '', , region = ''] = address.split('/');
  return { project, region, ...others };
}
