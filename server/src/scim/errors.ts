import { fail } from "../errors.ts"

/** The `scimType` values for status 400 (RFC 7644 §3.12). */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"

/** @throws {Failure} always: 400 with `scimType` */
export const failScim = (scimType: ScimType, message: string): never =>
  fail("bad_request", message, { scimType })
