import type { Block } from "../blocks.ts"
import type { DocumentSource, ReadingContext } from "../reading-context.ts"
import type { MailFormat } from "./mail-format.ts"
import { readEml, readEmlx, readMhtml } from "./read-eml.ts"
import { readMbox } from "./read-mbox.ts"

/** Readers of messages, mailboxes and web archives, by format. */
export const mailReaders: Readonly<
  Record<MailFormat, (source: DocumentSource, context: ReadingContext) => Promise<Block[]>>
> = { eml: readEml, emlx: readEmlx, mbox: readMbox, mhtml: readMhtml }
