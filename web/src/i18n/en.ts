import { account } from "./en/account.ts"
import { admin } from "./en/admin.ts"
import { audit } from "./en/audit.ts"
import { auditEvents } from "./en/audit-events.ts"
import { chat } from "./en/chat.ts"
import { composer } from "./en/composer.ts"
import { conversation } from "./en/conversation.ts"
import { frame } from "./en/frame.ts"
import { functions } from "./en/functions.ts"
import { groupKeys } from "./en/group-keys.ts"
import { invitations } from "./en/invitations.ts"
import { knowledge } from "./en/knowledge.ts"
import { labels } from "./en/labels.ts"
import { models } from "./en/models.ts"
import { overview } from "./en/overview.ts"
import { ownership } from "./en/ownership.ts"
import { pdf } from "./en/pdf.ts"
import { prices } from "./en/prices.ts"
import { programs } from "./en/programs.ts"
import { projects } from "./en/projects.ts"
import { prompts } from "./en/prompts.ts"
import { questions } from "./en/questions.ts"
import { signOn } from "./en/sign-on.ts"
import { start } from "./en/start.ts"
import { usage } from "./en/usage.ts"

/** English. Its keys define `MessageKey`. */
export const en = {
  ...frame,
  ...labels,
  ...start,
  ...signOn,
  ...chat,
  ...composer,
  ...conversation,
  ...models,
  ...projects,
  ...knowledge,
  ...questions,
  ...prompts,
  ...functions,
  ...account,
  ...programs,
  ...admin,
  ...audit,
  ...auditEvents,
  ...overview,
  ...usage,
  ...prices,
  ...ownership,
  ...pdf,
  ...invitations,
  ...groupKeys,
}
