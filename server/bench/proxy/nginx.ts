import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { findFreePort } from "../../test/harness/ports.ts"
import { type Processes, pidOf } from "../measure/processes.ts"

const versionOf = (command: string) =>
  /nginx\/(\S+)/.exec(spawnSync(command, ["-v"], { encoding: "utf8" }).stderr ?? "")?.[1]

/** Debian installs nginx in a folder that is not in the PATH of ordinary users. */
const command = ["nginx", "/usr/sbin/nginx"].find((name) => versionOf(name) !== undefined)
export const nginxVersion = command && versionOf(command)

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

/** One worker without a master, so that the started process is the one to measure. */
const configuration = (folder: string, upstreamPort: number, whole: number, streamed: number) => `
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log error;
events { worker_connections 8192; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_body_buffer_size 256k;
  upstream mock {
    server 127.0.0.1:${upstreamPort};
    keepalive 2048;
    keepalive_requests 1000000000;
  }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  server {
    listen 127.0.0.1:${whole} backlog=4096;
    location / { proxy_pass http://mock; }
  }
  server {
    listen 127.0.0.1:${streamed} backlog=4096;
    location / { proxy_pass http://mock; proxy_buffering off; }
  }
}
`

const answers = async (port: number) => {
  for (let tries = 0; tries < 100; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}/v1/models`).catch(() => undefined)
    if (up?.ok) return
    await sleep(50)
  }
  throw new Error(`nginx does not respond on port ${port}`)
}

/** Starts nginx in front of the mock, with a buffered port and an unbuffered one for streams. */
export const startNginx = async (processes: Processes, folder: string, upstreamPort: number) => {
  if (!command) return undefined
  const [port, streamPort] = [await findFreePort(), await findFreePort()]
  const file = join(folder, "nginx.conf")
  writeFileSync(file, configuration(folder, upstreamPort, port, streamPort))
  const child = processes.start({
    place: "measured",
    command,
    args: ["-p", folder, "-c", file],
  })
  await answers(port)
  return { child, pid: pidOf(child), port, streamPort }
}
