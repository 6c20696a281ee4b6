import { tmpdir } from "node:os"
import { z } from "zod"
import { type Client, type ClientContext, type FeatureResults, features } from "./client.ts"
import type { ClientApi } from "./clients-testbed.ts"
import { findMissingPackage, programPath } from "./installed-programs.ts"
import { findNpmVersion, findPythonVersion } from "./pinned-versions.ts"
import { runProgram } from "./run-program.ts"
import { pdf, pixel } from "./sample-files.ts"

/** A Python with the packages in `requirements.txt`; CI provides one. */
const python = process.env.TEST_PYTHON ?? ""

/** What the programs print. */
const Results = z.partialRecord(z.enum(features), z.string().nullable())

/** Runs a file of the folder `programs`, which tries all features. */
const runFile = async (
  command: string,
  file: string,
  { url, key, model }: ClientContext,
): Promise<FeatureResults> => {
  const { code, stdout, stderr } = await runProgram({
    ...{ command, args: [programPath(file)], cwd: programPath(".") },
    env: {
      ...{ GATEWAY_URL: url, GATEWAY_KEY: key, MODEL: model, PIXEL: pixel, PDF: pdf },
      ...{ HOME: tmpdir(), PYTHONDONTWRITEBYTECODE: "1" },
    },
  })
  if (code !== 0) throw new Error(`${file} ended with exit code ${code}: ${stdout}${stderr}`)
  return Results.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""))
}

const createNodeClient = (
  api: ClientApi,
  { name, file, packageName }: { name: string; file: string; packageName: string },
): Client => ({
  name,
  version: findNpmVersion(packageName),
  api,
  findMissing: () => findMissingPackage(packageName),
  run: (context) => runFile(process.execPath, file, context),
})

const findMissingModule = async (module: string): Promise<string | null> => {
  const advice = "set TEST_PYTHON to a Python with server/test/clients/requirements.txt"
  if (python === "") return advice
  const args = ["-c", `import ${module}`]
  const { code } = await runProgram({ command: python, args, cwd: tmpdir(), env: {} })
  return code === 0 ? null : advice
}

const createPythonClient = (
  api: ClientApi,
  { name, file, module }: { name: string; file: string; module: string },
): Client => ({
  name,
  version: findPythonVersion(module),
  api,
  findMissing: () => findMissingModule(module),
  run: (context) => runFile(python, file, context),
})

export const aiSdkOpenai = createNodeClient("responses", {
  name: "AI SDK, `@ai-sdk/openai`",
  file: "ai-sdk-openai.mjs",
  packageName: "@ai-sdk/openai",
})
export const aiSdkAnthropic = createNodeClient("messages", {
  name: "AI SDK, `@ai-sdk/anthropic`",
  file: "ai-sdk-anthropic.mjs",
  packageName: "@ai-sdk/anthropic",
})
export const openaiAgents = createNodeClient("responses", {
  name: "`@openai/agents`",
  file: "openai-agents.mjs",
  packageName: "@openai/agents",
})
export const openaiPython = createPythonClient("responses", {
  name: "`openai` (Python)",
  file: "openai_sdk.py",
  module: "openai",
})
export const anthropicPython = createPythonClient("messages", {
  name: "`anthropic` (Python)",
  file: "anthropic_sdk.py",
  module: "anthropic",
})
