import type { LogLine, ThrownError } from "./worker-protocol.ts"

// Messages that the prelude serializes in the isolate. They are validated, because a module can
// tamper with the globals that serialize them.

export interface HostCall {
  id: number
  name: string
  args: unknown
}

type TaskResult = { value: unknown } | { fault: ThrownError }

const malformed = (): Error => new Error("malformed message from the isolate")

const parseFields = (json: string): Record<string, unknown> => {
  const fields: Record<string, unknown> = JSON.parse(json)
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) throw malformed()
  return fields
}

/** @throws if the message is malformed */
export const parseHostCall = (json: string): HostCall => {
  const { id, name, args } = parseFields(json)
  if (typeof id !== "number" || typeof name !== "string") throw malformed()
  return { id, name, args }
}

/** @throws if the message is malformed */
export const parseTaskResult = (json: string): TaskResult => {
  const { value, fault } = parseFields(json)
  if (fault === undefined) return { value }
  const { name, message, stack }: Record<string, unknown> = Object(fault)
  if (typeof name !== "string" || typeof message !== "string" || typeof stack !== "string")
    throw malformed()
  return { fault: { name, message, stack } }
}

export interface LogMessage extends Pick<LogLine, "level" | "text"> {
  stack: string
}

const levels: readonly LogLine["level"][] = ["debug", "info", "warn", "error"]

/** @throws if the message is malformed */
export const parseLogMessage = (json: string): LogMessage => {
  const { level: sentLevel, text, stack } = parseFields(json)
  const level = levels.find((one) => one === sentLevel)
  if (level && typeof text === "string" && typeof stack === "string") return { level, text, stack }
  throw malformed()
}

const maxText = 2000

/**
 * The reason why a module failed to load, as JSON. On a parse error or a rejected import none of
 * its code has run, so the error comes from the engine.
 */
export const serializeModuleError = (error: unknown): string => {
  const asError = error instanceof Error ? error : new Error(String(error))
  const isDenied = typeof error === "string" || asError.name === "Error"
  const fault = {
    name: isDenied ? "DeniedError" : asError.name,
    message: asError.message.slice(0, maxText),
    stack: isDenied ? "" : (asError.stack ?? "").slice(0, maxText),
  }
  return JSON.stringify({ fault })
}
