import { account } from "./en/account.ts"
import { chat } from "./en/chat.ts"
import { composer } from "./en/composer.ts"
import { conversation } from "./en/conversation.ts"
import { frame } from "./en/frame.ts"
import { grants } from "./en/grants.ts"
import { knowledge } from "./en/knowledge.ts"
import { labels } from "./en/labels.ts"
import { models } from "./en/models.ts"
import { ownership } from "./en/ownership.ts"
import { pdf } from "./en/pdf.ts"
import { programs } from "./en/programs.ts"
import { projects } from "./en/projects.ts"
import { prompts } from "./en/prompts.ts"
import { questions } from "./en/questions.ts"
import { signOn } from "./en/sign-on.ts"
import { start } from "./en/start.ts"
import { usage } from "./en/usage.ts"

/** English texts that any page may use. */
export const en = {
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
