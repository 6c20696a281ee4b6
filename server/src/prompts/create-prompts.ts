import { createPersonalInstructions } from "./personal-instructions.ts"
import { createPrompts } from "./prompts.ts"
import { createPromptTransfer } from "./ownership-transfer.ts"

type Deps = Parameters<typeof createPrompts>[0] &
  Parameters<typeof createPersonalInstructions>[0] &
  Parameters<typeof createPromptTransfer>[0]

/** Creates the prompt library and users' instructions for their chats. */
export const createPromptParts = (deps: Deps) => ({
  prompts: createPrompts(deps),
  promptTransfer: createPromptTransfer(deps),
  personalInstructions: createPersonalInstructions(deps),
})
