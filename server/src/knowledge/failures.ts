import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"

export const accessMessages = {
  notFound: translatable("collection_not_found"),
  notWritable: translatable("collection_read_only"),
}

export const failCollectionNotFound = (): never => fail("not_found", accessMessages.notFound)
