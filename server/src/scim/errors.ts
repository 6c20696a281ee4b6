import { fail } from "../errors.ts"

/** The detail error keywords of RFC 7644 §3.12 that go with status 400. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"

/** @throws {Failure} always: 400 with `scimType` */
export const refuse = (scimType: ScimType, message: string): never =>
  fail("bad_request", message, { scimType })
