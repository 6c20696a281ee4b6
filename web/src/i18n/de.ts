import type { Catalogue } from "./catalogue.ts"
import { account } from "./de/account.ts"
import { admin } from "./de/admin.ts"
import { audit } from "./de/audit.ts"
import { auditEvents } from "./de/audit-events.ts"
import { chat } from "./de/chat.ts"
import { composer } from "./de/composer.ts"
import { conversation } from "./de/conversation.ts"
import { frame } from "./de/frame.ts"
import { functions } from "./de/functions.ts"
import { groupKeys } from "./de/group-keys.ts"
import { invitations } from "./de/invitations.ts"
import { knowledge } from "./de/knowledge.ts"
import { labels } from "./de/labels.ts"
import { models } from "./de/models.ts"
import { overview } from "./de/overview.ts"
import { ownership } from "./de/ownership.ts"
import { pdf } from "./de/pdf.ts"
import { prices } from "./de/prices.ts"
import { programs } from "./de/programs.ts"
import { projects } from "./de/projects.ts"
import { prompts } from "./de/prompts.ts"
import { questions } from "./de/questions.ts"
import { signOn } from "./de/sign-on.ts"
import { start } from "./de/start.ts"
import { usage } from "./de/usage.ts"

export const de: Catalogue = {
  ...frame,
  ...labels,
  ...start,
  ...signOn,
  ...chat,
  ...composer,
  ...conversation,
  ...models,
  ...projects,
  ...prompts,
  ...functions,
  ...knowledge,
  ...questions,
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
