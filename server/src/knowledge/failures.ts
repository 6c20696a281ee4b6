import { fail } from "../errors.ts"

export const accessMessages = {
  notFound: "Collection not found.",
  notWritable: "You can read this collection, but not change it.",
}

export const failCollectionNotFound = (): never => fail("not_found", accessMessages.notFound)
