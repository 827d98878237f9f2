/** What an admin says about a place in AWS where agents run. */
export interface EcsSettings {
  region: string;
  cluster: string;
  subnets: readonly string[];
  security_groups: readonly string[];
  /** With it, Fargate fetches the image and the secret, and writes the log. */
  execution_role_arn: string;
  /** What the agent itself may do in AWS. Undefined: nothing. */
  task_role_arn?: string | undefined;
  /** The repository of ECR as an address: `https://<account>.dkr.ecr.<region>.amazonaws.com/<name>`. */
  repository: string;
  /** The door, as a replica finds it. */
  service_url: string;
  /** The only authority that its certificate may have, as PEM. */
  service_ca?: string | undefined;
  log_group: string;
}

/** `gantry/agents` */
export const repositoryName = ({ repository }: Pick<EcsSettings, 'repository'>): string =>
  new URL(repository).pathname.split('/').filter(Boolean).join('/');

/** The port of the registry is part of the name of an image. */
export const imageName = (settings: Pick<EcsSettings, 'repository'>, digest: string): string =>
  `${new URL(settings.repository).host}/${repositoryName(settings)}@${digest}`;
