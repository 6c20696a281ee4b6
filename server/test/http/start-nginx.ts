import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { connect as connectHttp2 } from "node:http2"
import { request as requestHttps } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { cert, key } from "../../../packages/http1/test/certificate.ts"
import { waitFor } from "../harness/usage-records.ts"

const timeoutMs = 25_000
const operations = new URL("../../../docs/operations.md", import.meta.url)
const program = ["/usr/sbin/nginx", "nginx"].find((path) => spawnSync(path, ["-v"]).status === 0)

/** For example `nginx/1.22.1`; undefined if nginx is not installed. */
export const nginxVersion =
  program && /nginx\/[\d.]+/.exec(spawnSync(program, ["-v"], { encoding: "utf8" }).stderr)?.[0]

/** The nginx configuration in docs/operations.md, verbatim. */
const readDocumentedConfig = (): string =>
  /```nginx\n(.*?)```/s.exec(readFileSync(operations, "utf8"))?.[1] ?? ""

/**
 * `http2 on` requires nginx 1.25.1; before that, HTTP/2 is a parameter of `listen`, as documented.
 */
const supportsHttp2On = (): boolean => {
  const [major = 0, minor = 0, patch = 0] = (nginxVersion ?? "").slice(6).split(".").map(Number)
  return major > 1 || minor > 25 || (minor === 25 && patch >= 1)
}

/** The documented server block with the test's port, certificate and gateway. */
const renderServerBlock = (folder: string, port: number, gatewayUrl: string): string => {
  const changes: [string, string][] = [
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl${supportsHttp2On() ? "" : " http2"};`],
    ["/etc/ssl/models.example.com.pem", `${folder}/cert.pem`],
    ["/etc/ssl/models.example.com.key", `${folder}/key.pem`],
    ["server_name models.example.com", "server_name localhost"],
    ["127.0.0.1:8080", new URL(gatewayUrl).host],
  ]
  if (!supportsHttp2On()) changes.push(["http2 on;", ""])
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`docs/operations.md does not say ${from}`)
    return text.replaceAll(from, to)
  }, readDocumentedConfig())
}

const temporaryFolders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

const configuration = (folder: string, server: string): string => `
${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
worker_processes 2;
pid ${folder}/pid;
error_log ${folder}/error.log info;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporaryFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  ${server}
}
`

export interface Nginx {
  port: number
  child: ChildProcess
  /** Temporary files with buffered bodies. */
  bufferedFiles(): string[]
  errors(): string
  stop(): Promise<void>
}

/** Starts nginx as documented, with TLS, in front of a gateway. */
export const startNginx = async (port: number, gatewayUrl: string): Promise<Nginx> => {
  if (!program) throw new Error("No nginx on this machine")
  const folder = mkdtempSync(join(tmpdir(), "portico-nginx-"))
  chmodSync(folder, 0o711)
  writeFileSync(join(folder, "cert.pem"), cert)
  writeFileSync(join(folder, "key.pem"), key, { mode: 0o600 })
  const file = join(folder, "nginx.conf")
  writeFileSync(file, configuration(folder, renderServerBlock(folder, port, gatewayUrl)))
  const child = spawn(program, ["-p", folder, "-c", file], { stdio: ["ignore", "ignore", "pipe"] })
  const stderrLines: string[] = []
  child.stderr?.on("data", (chunk) => stderrLines.push(String(chunk)))
  const exited = once(child, "exit")
  await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${stderrLines.join("")}`)
    return (await sendOverTls(port, { path: "/health" }).catch(() => undefined))?.status === 200
  })
  return {
    port,
    child,
    bufferedFiles: () =>
      temporaryFolders.flatMap((name) =>
        readdirSync(join(folder, name), { recursive: true }).map(String),
      ),
    errors: () => readFileSync(join(folder, "error.log"), "utf8"),
    stop: async () => {
      child.kill("SIGQUIT")
      const killTimer = setTimeout(() => child.kill("SIGTERM"), 3000)
      await exited
      clearTimeout(killTimer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface TlsRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

export interface TlsResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends an HTTPS request over HTTP/1.1 on a new connection. */
export const sendOverTls = (
  port: number,
  { method = "GET", path, headers = {}, body }: TlsRequest,
): Promise<TlsResponse> =>
  new Promise((resolve, reject) => {
    const target = {
      host: "127.0.0.1",
      servername: "localhost",
      port,
      ca: cert,
      agent: false as const,
    }
    const host = `localhost:${port}`
    const request = requestHttps({
      ...target,
      method,
      path,
      headers: { host, ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const timeoutMessage = `${method} ${path} had no whole answer within ${timeoutMs} ms`
    const rejectWithCause = (error: Error): void =>
      reject(error.name === "AbortError" ? new Error(timeoutMessage, { cause: error }) : error)
    request.on("error", rejectWithCause)
    request.on("response", (response) => {
      const { statusCode: status = 0, headers } = response
      buffer(response).then(
        (body) => resolve({ status, headers, body: body.toString() }),
        rejectWithCause,
      )
    })
    request.end(body)
  })

/** Opens an HTTP/2 connection to nginx. */
export const openHttp2Session = (port: number) =>
  connectHttp2(`https://localhost:${port}`, { ca: cert, host: "127.0.0.1" })
