import { fail } from "../errors.ts"

/** @throws {Failure} `not_found` */
export const failNotFound = (id: string): never =>
  fail("not_found", `Function "${id.slice(0, 100)}" not found.`)

/** @throws {Failure} `conflict` */
export const failIdTaken = (id: string): never =>
  fail("conflict", `A function with the ID "${id}" already exists.`)

/** @throws {Failure} `conflict` */
export const failVersionConflict = (version: number): never =>
  fail(
    "conflict",
    `Version ${version} was saved in the meantime. Reload the function and apply your changes again.`,
  )
