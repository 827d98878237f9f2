/** The settings whose limit ends a step of a push or a deploy, and what each limits. */
export const limitSettings = {
  BUILD_DEADLINE_SECONDS: { more: 'more time', value: 'seconds' },
  BUILD_MEMORY_MB: { more: 'more memory', value: 'MB' },
  BUILD_DISK_MB: { more: 'more disk space', value: 'MB' },
  BUILD_PROCESSES: { more: 'more processes', value: 'number' },
  START_DEADLINE_SECONDS: { more: 'more time on a slow machine', value: 'seconds' },
} as const;

export type LimitSetting = keyof typeof limitSettings;

/** The last sentence of the hint of every refusal by a limit. */
export function raiseLimit(setting: LimitSetting): string {
  const { more, value } = limitSettings[setting];
  return `For ${more}, an operator runs \`svc server set ${setting}=<${value}>\` and \`svc server restart\`.`;
}
