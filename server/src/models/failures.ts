import { fail } from "../errors.ts"

export const failNotFound = (id: string): never => fail("not_found", `Model ${id} not found.`)

export const failTaken = (id: string): never =>
  fail("conflict", `A model with the ID ${id} already exists. Choose another ID.`)

/** @param path the field at fault, from the root of the request's body */
export const failInvalid = (path: string, message: string): never =>
  fail("invalid", `${path}: ${message}`, { errors: [{ path, message }] })
