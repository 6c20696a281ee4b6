import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"

export const accessMessages = {
  notFound: translatable("prompt_not_found"),
  notWritable: translatable("prompt_read_only"),
}

export const failPromptNotFound = (): never => fail("not_found", accessMessages.notFound)
