import type { Catalogue } from "./catalogue.ts"
import { account } from "./de/account.ts"
import { chat } from "./de/chat.ts"
import { composer } from "./de/composer.ts"
import { conversation } from "./de/conversation.ts"
import { frame } from "./de/frame.ts"
import { grants } from "./de/grants.ts"
import { knowledge } from "./de/knowledge.ts"
import { labels } from "./de/labels.ts"
import { models } from "./de/models.ts"
import { ownership } from "./de/ownership.ts"
import { pdf } from "./de/pdf.ts"
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
  ...grants,
  ...signOn,
  ...chat,
  ...composer,
  ...conversation,
  ...models,
  ...projects,
  ...knowledge,
  ...questions,
  ...prompts,
  ...account,
  ...programs,
  ...usage,
  ...ownership,
  ...pdf,
}
