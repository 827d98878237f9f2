// nginx and haproxy in front of a test's service, configured as by operators: connections behind them are kept and shared. They refuse
// one path themselves, so a request for it that reaches the service was hidden from them.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { running } from './running.ts';

export interface Proxy {
  port: number;
  end(): Promise<void>;
}

export interface Behind {
  folder: string;
  service: { host: string; port: number };
  refused_path: string;
}

export async function nginx({ folder, service, refused_path }: Behind): Promise<Proxy> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return await started(folder, 'nginx', {
    text: (port) => `user root; daemon off; pid ${folder}/nginx.pid; error_log stderr crit; events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  upstream service { server ${service.host}:${service.port}; keepalive 1; }
  server {
    listen 127.0.0.1:${port};
    location = ${refused_path} { return 403; }
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_request_buffering off; }
  }
}
`,
    command: (file) => ['/usr/sbin/nginx', '-c', file],
  });
}

export async function haproxy({ folder, service, refused_path }: Behind): Promise<Proxy> {
  return await started(folder, 'haproxy', {
    text: (port) => `defaults
  mode http
  http-reuse always
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend front
  bind 127.0.0.1:${port}
  http-request deny if { path ${refused_path} }
  default_backend service
backend service
  server service ${service.host}:${service.port} pool-max-conn 1
`,
    command: (file) => ['/usr/sbin/haproxy', '-db', '-f', file],
  });
}

async function started(
  folder: string,
  name: string,
  { text, command }: { text: (port: number) => string; command: (file: string) => string[] },
): Promise<Proxy> {
  const port = await freePort();
  const file = join(folder, `${name}.conf`);
  await writeFile(file, text(port));
  const [program = '', ...args] = command(file);
  const process = running(() => spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] }), port);
  await process.start();
  return { port, end: async () => await process.end('SIGTERM') };
}
