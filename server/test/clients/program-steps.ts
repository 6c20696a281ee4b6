import { join } from "node:path"
import { z } from "zod"
import type { ClientContext } from "./client.ts"

const pagePath = join(import.meta.dirname, "../../../web/src/pages/account/program-steps.ts")

const Steps = z.array(z.object({ code: z.string() }))

/** What the page "Connect a program" shows to paste for a POSIX system, step by step. */
export const readProgramSteps = async (
  program: "claude-code" | "codex",
  { url, key, model }: ClientContext,
): Promise<string[]> => {
  // Loaded at run time, because the page's types are those of a browser.
  const { findProgram } = await import(pagePath)
  const context = { origin: url, secret: key, model, platform: "posix" }
  return Steps.parse(findProgram(program).createSteps(context)).map(({ code }) => code)
}
