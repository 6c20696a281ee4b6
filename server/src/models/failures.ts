import { fail } from "../errors.ts"

export const failNotFound = (id: string): never => fail("not_found", `Model ${id} not found.`)

export const failTaken = (id: string): never =>
  fail("conflict", `A model with the ID ${id} already exists. Choose another ID.`)
