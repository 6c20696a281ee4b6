import type { ServerMessages } from "../server-messages.ts"
import { accounts } from "./server/accounts.ts"
import { connections } from "./server/connections.ts"
import { conversations } from "./server/conversations.ts"
import { documents } from "./server/documents.ts"
import { fields } from "./server/fields.ts"
import { files } from "./server/files.ts"
import { functions } from "./server/functions.ts"
import { gateway } from "./server/gateway.ts"
import { limits } from "./server/limits.ts"
import { models } from "./server/models.ts"
import { ownership } from "./server/ownership.ts"
import { prices } from "./server/prices.ts"
import { providers } from "./server/providers.ts"
import { signOn } from "./server/sign-on.ts"
import { webhooks } from "./server/webhooks.ts"

/** German texts of the gateway's messages. */
export const serverMessages: ServerMessages = {
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
