import { useRouter } from "@tanstack/react-router"
import { BookmarkPlus, Pencil } from "lucide-react"
import { type ReactNode, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { imageUrl } from "../../lib/chat-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { AlternativeSwitcher } from "./alternative-switcher.tsx"
import { AttachmentLinks } from "./attachment-links.tsx"
import type { Attachment } from "./attachments.ts"
import { EditMessage } from "./edit-message.tsx"
import type { TurnProps } from "./turn-props.ts"
import { TurnTools, WhileIdle } from "./turn-tools.tsx"
import type { OutgoingMessage } from "./use-stored-chat-backend.ts"

/** Opens the form for a new prompt with a message's text. */
const SavePromptButton = ({ text }: { text: string }) => {
  const router = useRouter()
  return (
    <IconButton
      icon={BookmarkPlus}
      label={t("prompts.save")}
      onClick={() => void router.navigate({ to: "/prompts/new", state: { promptText: text } })}
    />
  )
}

interface UserMessageProps {
  /** For screen readers only. */
  author: string
  imageUrls: readonly string[]
  content: string
  files: readonly Attachment[]
  /** Actions on the message, below it. */
  children: ReactNode
}

const UserMessage = ({ author, imageUrls, content, files, children }: UserMessageProps) => (
  <div className="flex flex-col items-end">
    <h2 className="sr-only">{author}</h2>
    {imageUrls.length > 0 && (
      <ul className="mb-2 flex flex-wrap justify-end gap-2">
        {imageUrls.map((url) => (
          <li key={url.slice(-40)}>
            <a href={url} target="_blank" rel="noopener noreferrer">
              <img
                src={url}
                alt={t("chat.image")}
                className="h-40 max-w-full rounded object-contain"
              />
            </a>
          </li>
        ))}
      </ul>
    )}
    {content !== "" && (
      <p className="w-fit max-w-[85%] rounded-lg bg-surface px-3.5 py-2 break-words whitespace-pre-wrap">
        {content}
      </p>
    )}
    {files.length > 0 && <AttachmentLinks files={files} />}
    <TurnTools>{children}</TurnTools>
  </div>
)

/** A message of the chat's owner. */
export const UserTurn = ({ turn, author, writable, editing, onEdit, actions }: TurnProps) => {
  const message = turn.chosen
  if (editing === message.id) {
    return (
      <EditMessage
        content={message.content}
        label={t("chat.edit")}
        saveLabel={t("chat.editSend")}
        onSave={(content) => actions.edit(message, content)}
        onClose={() => onEdit(null)}
      />
    )
  }
  return (
    <UserMessage
      author={author}
      imageUrls={message.images.map(({ id }) => imageUrl(message.chat_id, id))}
      content={message.content}
      files={message.files}
    >
      <CopyButton text={message.content} label={t("chat.copy")} />
      {writable && (
        <WhileIdle>
          <IconButton icon={Pencil} label={t("chat.edit")} onClick={() => onEdit(message.id)} />
        </WhileIdle>
      )}
      {writable && message.content !== "" && <SavePromptButton text={message.content} />}
      <AlternativeSwitcher turn={turn} actions={actions} />
    </UserMessage>
  )
}

/** The message being sent, until the server has accepted it. */
export const PendingTurn = ({ content, images, files }: OutgoingMessage) => {
  const [imageUrls] = useState(images)
  return (
    <article className="turn opacity-70" data-role="user">
      <UserMessage author={t("chat.you")} {...{ imageUrls, content, files }}>
        {/* Reserves the tools' space, so that nothing shifts once the message is accepted. */}
        {null}
      </UserMessage>
    </article>
  )
}
