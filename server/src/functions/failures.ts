import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"

/** @throws {Failure} `not_found` */
export const failNotFound = (id: string): never =>
  fail("not_found", `Function "${id.slice(0, 100)}" not found.`)

/** @throws {Failure} `conflict` */
export const failIdTaken = (id: string): never =>
  fail("conflict", translatable("function_exists", { id }))

/** @throws {Failure} `conflict` */
export const failVersionConflict = (version: number): never =>
  fail("conflict", translatable("function_changed", { version }))
