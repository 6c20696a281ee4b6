import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js"
import type { Reply } from "./client.ts"
import type { OpenApi, Operation } from "./document.ts"
import { type Caller, secretMark } from "./people.ts"

const errorText = (errors: readonly ErrorObject[] | null | undefined): string =>
  (errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath} ${message}`)
    .join("; ")

const isProxy = ({ path }: Operation): boolean => path.endsWith("/{path}")

const mediaType = (value: unknown): string =>
  String(value ?? "")
    .split(";")[0]
    ?.trim() ?? ""

/**
 * Checks replies against the gateway's OpenAPI document and against general rules.
 * @param mayShare whether some callers may share any resource with anyone
 */
export const createVerdict = (document: OpenApi, { mayShare }: { mayShare: boolean }) => {
  // Formats such as "binary" and "email" are documentation only.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema({ $id: "document", components: document.components })
  const validators = new Map<string, ReturnType<typeof ajv.compile>>()

  const validatorOf = (operation: Operation, status: string, type: string) => {
    const name = `${operation.method} ${operation.path} ${status} ${type}`
    const known = validators.get(name)
    if (known) return known
    const content = operation.responses[status]?.content?.[type]
    if (!content) return undefined
    const text = JSON.stringify(content.schema).replaceAll(
      '"#/components/',
      '"document#/components/',
    )
    const compiled = ajv.compile(JSON.parse(text))
    validators.set(name, compiled)
    return compiled
  }

  const ofStatus = ({ responses }: Operation, { status, text }: Reply): string | undefined => {
    if (status < 500 || status === 501) return undefined
    if (!(status in responses))
      return `returned the undocumented status ${status}: ${text.slice(0, 200)}`
    return /database is unavailable|cannot reach its database/.test(text)
      ? `returned ${status}: ${text}`
      : undefined
  }

  const ofShape = (operation: Operation, reply: Reply): string | undefined => {
    const { status, text, headers, isCut } = reply
    const type = mediaType(headers["content-type"])
    if (!/[/+]json$/.test(type) || isCut || text === "") return undefined
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return `returned ${status} with invalid JSON: ${text.slice(0, 200)}`
    }
    const documented = String(status) in operation.responses ? String(status) : "default"
    const isOk = validatorOf(operation, documented, type)
    if (!isOk || isOk(body)) return undefined
    return `returned ${status} with a body that violates its schema (${errorText(isOk.errors)}): ${text.slice(0, 300)}`
  }

  const ofDocument = (operation: Operation, reply: Reply): string | undefined =>
    // Proxied replies have the shape that the provider gave them.
    ofStatus(operation, reply) ?? (isProxy(operation) ? undefined : ofShape(operation, reply))

  return {
    /** `operation` is undefined if a mutation changed the method or path. */
    of: (operation: Operation | undefined, caller: Caller, reply: Reply): string | undefined => {
      const { status, text, headers } = reply
      const mustNotSee = !(mayShare || caller.seesAll)
      if (mustNotSee && text.includes(secretMark)) return "disclosed a resource of another user"
      if (status === 500) return `returned 500: ${text.slice(0, 200)}`
      if (!headers["x-request-id"] && status !== 400) return "has no x-request-id"
      return operation && ofDocument(operation, reply)
    },
  }
}
