import { fail } from "../errors.ts"
import type { AccessMessages } from "../grants/access.ts"
import { translatable } from "../i18n/message.ts"

export const accessMessages = (id: string): AccessMessages => ({
  notFound: `Model ${id} not found.`,
  notWritable: translatable("model_read_only", { id }),
})

export const failNotFound = (id: string): never => fail("not_found", accessMessages(id).notFound)

export const failTaken = (id: string): never =>
  fail("conflict", translatable("model_exists", { id }))

export const failModelNotFound = (id: string): never => {
  const message = `The model "${id.slice(0, 200)}" does not exist or you do not have access to it.`
  return fail("model_not_found", message, { param: "model" })
}
