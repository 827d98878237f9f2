// The text of a systemd unit and of its environment file (systemd.unit(5), systemd.service(5), systemd.exec(5)).

export interface UnitInput {
  marker: string;
  data_directory: string;
  /** The program has an absolute path, without quotes: systemd takes none there. */
  command: readonly [string, ...string[]];
  /** Not secret: everybody can read a unit. */
  environment: Readonly<Record<string, string>>;
  environment_file: string | undefined;
  /** Undefined for root. */
  user: string | undefined;
}

export function unitText(input: UnitInput): string {
  const { data_directory, environment, environment_file, user } = input;
  const [program, ...words] = input.command;
  // systemd expands variables only behind the program.
  const command = [quote(program), ...words.map((word) => quote(word).replaceAll('$', '$$$$'))].join(' ');
  return `${input.marker}
[Unit]
Description=Gantry
Wants=network-online.target docker.service
After=network-online.target docker.service
RequiresMountsFor=${quote(data_directory)}
# A database or an engine that comes later must not end the attempts.
StartLimitIntervalSec=0

[Service]
Type=exec
${user === undefined ? '' : `User=${user}\n`}${Object.entries(environment)
    .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}\n`)
    .join('')}${environment_file === undefined ? '' : `EnvironmentFile=${environment_file}\n`}ExecStart=${command}
Restart=always
RestartSec=2
# The service stops its database itself, after the calls in flight.
KillMode=mixed
TimeoutStopSec=120
# It sets firewall rules, uses the engine's socket, and may add the database's user to /etc/passwd. These limits forbid none of that.
NoNewPrivileges=yes
ProtectSystem=yes
ReadWritePaths=-${quote(data_directory)}
PrivateTmp=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelTunables=yes
ProtectClock=yes
ProtectHostname=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`;
}

/** systemd reads shell quotes in this file, and expands nothing. */
export function environmentText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"$`]/g, '\\$&')}"\n`)
    .join('');
}

/** One word, also with spaces; % begins a specifier. */
function quote(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;
}
