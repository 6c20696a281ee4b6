/** The `scimType` values for status 400 (RFC 7644 §3.12). */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"

/** An invalid request. The message is meant for the client (`detail` of the error response). */
export class ScimError extends Error {
  override readonly name = "ScimError"
  readonly status = 400
  readonly scimType: ScimType

  constructor(scimType: ScimType, message: string) {
    super(message)
    this.scimType = scimType
  }
}

/** A part of the request, for a message. */
export const quote = (text: string): string => JSON.stringify(text.slice(0, 80))

/** @throws {ScimError} always */
export const failScim = (scimType: ScimType, message: string): never => {
  throw new ScimError(scimType, message)
}

/** @throws {ScimError} `invalidFilter`, always */
export const failFilter = (message: string): never => failScim("invalidFilter", message)
