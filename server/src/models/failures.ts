import { fail } from "../errors.ts"

export const failNotFound = (id: string): never => fail("not_found", `Model ${id} not found.`)

export const failTaken = (id: string): never =>
  fail("conflict", `A model with the ID ${id} already exists. Choose another ID.`)

export const failModelNotFound = (id: string): never => {
  const message = `The model "${id.slice(0, 200)}" does not exist or you do not have access to it.`
  return fail("model_not_found", message, { param: "model" })
}
