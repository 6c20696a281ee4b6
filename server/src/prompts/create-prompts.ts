import { createPromptOwnershipTransfer } from "./ownership-transfer.ts"
import { createPersonalInstructions } from "./personal-instructions.ts"
import { createPrompts } from "./prompts.ts"

type Deps = Parameters<typeof createPrompts>[0] &
  Parameters<typeof createPersonalInstructions>[0] &
  Parameters<typeof createPromptOwnershipTransfer>[0]

/** Creates the prompt library and users' instructions for their chats. */
export const createPromptParts = (deps: Deps) => ({
  prompts: createPrompts(deps),
  promptTransfer: createPromptOwnershipTransfer(deps),
  personalInstructions: createPersonalInstructions(deps),
})
