import { accounts } from "./accounts.ts"
import { connections } from "./connections.ts"
import { conversations } from "./conversations.ts"
import { documents } from "./documents.ts"
import { fields } from "./fields.ts"
import { files } from "./files.ts"
import { functions } from "./functions.ts"
import { gateway } from "./gateway.ts"
import { limits } from "./limits.ts"
import { models } from "./models.ts"
import { ownership } from "./ownership.ts"
import { prices } from "./prices.ts"
import { providers } from "./providers.ts"
import { signOn } from "./sign-on.ts"
import { webhooks } from "./webhooks.ts"

/** The texts that pages translate, in English and by their IDs. */
export const catalogue = {
  ...fields,
  ...accounts,
  ...ownership,
  ...models,
  ...connections,
  ...prices,
  ...limits,
  ...webhooks,
  ...providers,
  ...conversations,
  ...functions,
  ...files,
  ...documents,
  ...signOn,
  ...gateway,
}

export type MessageId = keyof typeof catalogue
