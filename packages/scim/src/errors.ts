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
  readonly status = 400
  readonly scimType: ScimType

  constructor(scimType: ScimType, message: string) {
    super(message)
    this.name = "ScimError"
    this.scimType = scimType
  }
}

/** @throws {ScimError} always */
export const failScim = (scimType: ScimType, message: string): never => {
  throw new ScimError(scimType, message)
}
