import { fail } from "../errors.ts"

export const accessMessages = {
  notFound: "Prompt not found.",
  notWritable: "You can use this prompt, but not change it.",
}

export const failPromptNotFound = (): never => fail("not_found", accessMessages.notFound)
