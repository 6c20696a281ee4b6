import { CheckCircle2, ChevronLeft, ChevronRight, Circle, Pencil, RefreshCw } from "lucide-react"
import { memo, type ReactNode, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { imageUrl, type Message } from "../../lib/chat-api.ts"
import type { Turn } from "../../lib/chat-tree.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { CopyButton } from "../../ui/copy-button.tsx"
import { Answer, formatAnswerStats } from "./answer.tsx"
import { AttachmentLinks } from "./attachment-links.tsx"
import type { Attachment } from "./attachments.ts"
import { EditMessage } from "./edit-message.tsx"
import type { QuestionSearch } from "./question-search.ts"

/** Callbacks for a turn; their identity is stable across renders. */
export interface TurnActions {
  nameOf: (model: string | null) => string
  regenerate: (messages: readonly Message[]) => void
  continueAnswer: (message: Message) => void
  edit: (message: Message, content: string) => Promise<void>
  showAlternative: (message: Message) => void
  chooseAnswer: (message: Message) => void
  openSource: (messageId: string, number: number) => void
  /** The search for an answer's question. */
  searchOf: (answer: Message) => QuestionSearch | null
}

interface TurnProps {
  turn: Turn
  writable: boolean
  editing: boolean
  onEdit: (id: string | null) => void
  actions: TurnActions
}

/** ‹ 2/3 ›: switches between the alternatives at this step. */
const AlternativeSwitcher = ({
  turn,
  onSelect,
}: {
  turn: Turn
  onSelect: (message: Message) => void
}) => {
  const { alternatives, alternativeIndex } = turn
  const before = alternatives[alternativeIndex - 1]
  const after = alternatives[alternativeIndex + 1]
  if (alternatives.length < 2) return null
  return (
    <span className="turn-ways flex items-center text-xs text-muted tabular">
      <IconButton
        icon={ChevronLeft}
        label={t("chat.previousWay")}
        disabled={!before}
        onClick={() => before && onSelect(before)}
      />
      <span
        title={t("chat.way", { showAlternative: alternativeIndex + 1, ways: alternatives.length })}
      >
        {alternativeIndex + 1}/{alternatives.length}
      </span>
      <IconButton
        icon={ChevronRight}
        label={t("chat.nextWay")}
        disabled={!after}
        onClick={() => after && onSelect(after)}
      />
    </span>
  )
}

/** Shown on hover and focus; always visible below the last message and on touch screens. */
const Tools = ({ children }: { children: ReactNode }) => (
  <div className="turn-tools mt-1 -ml-2 flex min-h-8 flex-wrap items-center">{children}</div>
)

const UserTurn = ({ turn, writable, editing, onEdit, actions }: TurnProps) => {
  const message = turn.chosen
  if (editing) {
    return (
      <EditMessage
        content={message.content}
        onCancel={() => onEdit(null)}
        onSend={async (content) => {
          await actions.edit(message, content)
          onEdit(null)
        }}
      />
    )
  }
  return (
    <>
      {message.images.length > 0 && (
        <ul className="mb-2 flex flex-wrap gap-2">
          {message.images.map(({ id }) => (
            <li key={id}>
              <a href={imageUrl(message.chat_id, id)} target="_blank" rel="noopener noreferrer">
                <img
                  src={imageUrl(message.chat_id, id)}
                  alt={t("chat.image")}
                  className="h-40 max-w-full rounded object-contain"
                />
              </a>
            </li>
          ))}
        </ul>
      )}
      {message.content !== "" && (
        <p className="w-fit max-w-full rounded bg-surface px-3.5 py-2 break-words whitespace-pre-wrap">
          {message.content}
        </p>
      )}
      {message.files.length > 0 && <AttachmentLinks files={message.files} />}
      <Tools>
        <CopyButton text={message.content} label={t("chat.copy")} />
        {writable && (
          <IconButton icon={Pencil} label={t("chat.edit")} onClick={() => onEdit(message.id)} />
        )}
        <AlternativeSwitcher turn={turn} onSelect={actions.showAlternative} />
      </Tools>
    </>
  )
}

const SingleAnswer = ({ message, turn, writable, actions }: TurnProps & { message: Message }) => {
  const several = turn.messages.length > 1
  const chosen = message === turn.chosen
  const stats = formatAnswerStats(message)
  return (
    <>
      <h2 className="mb-1 flex min-h-8 items-center gap-1 text-sm font-semibold">
        <span className="min-w-0 truncate">{actions.nameOf(message.model)}</span>
        {several && (
          <IconButton
            icon={chosen ? CheckCircle2 : Circle}
            label={t(chosen ? "chat.chosen" : "chat.choose")}
            aria-pressed={chosen}
            disabled={!writable}
            onClick={() => actions.chooseAnswer(message)}
          />
        )}
      </h2>
      <Answer
        message={message}
        writable={writable}
        onRetry={() => actions.regenerate([message])}
        onContinue={actions.continueAnswer}
        onCite={actions.openSource}
        searchOf={actions.searchOf}
      />
      {message.state !== "running" && (
        <Tools>
          {message.content !== "" && (
            <CopyButton text={message.content} label={t("chat.copyAnswer")} />
          )}
          {writable && (
            <IconButton
              icon={RefreshCw}
              label={t("chat.again")}
              onClick={() => actions.regenerate(turn.messages)}
            />
          )}
          {message === turn.messages[0] && (
            <AlternativeSwitcher turn={turn} onSelect={actions.showAlternative} />
          )}
          {stats && <span className="turn-cost ml-2 text-xs text-muted tabular">{stats}</span>}
        </Tools>
      )}
    </>
  )
}

const AnswerTurn = (props: TurnProps) => {
  const { messages } = props.turn
  const [only] = messages
  if (messages.length === 1 && only) return <SingleAnswer {...props} message={only} />
  return (
    <div className="side-by-side grid gap-4">
      {messages.map((message) => (
        <section
          key={message.id}
          className={classes(
            "min-w-0 rounded border p-3",
            message === props.turn.chosen ? "border-accent" : "border-line",
          )}
        >
          <SingleAnswer {...props} message={message} />
        </section>
      ))}
    </div>
  )
}

const areTurnsEqual = (before: TurnProps, after: TurnProps): boolean =>
  before.turn.chosen === after.turn.chosen &&
  before.turn.alternativeIndex === after.turn.alternativeIndex &&
  before.turn.alternatives.length === after.turn.alternatives.length &&
  before.turn.messages.length === after.turn.messages.length &&
  before.turn.messages.every((message, index) => message === after.turn.messages[index]) &&
  before.editing === after.editing &&
  before.writable === after.writable &&
  before.actions === after.actions

/** A step of the conversation. Re-renders only if it changed. */
export const TurnView = memo((props: TurnProps) => {
  const { chosen } = props.turn
  return (
    <article
      className={classes("turn", props.turn.messages.length > 1 && "turn-wide")}
      data-role={chosen.role}
      data-state={chosen.state}
    >
      {chosen.role === "user" ? (
        <>
          <h2 className="mb-1 text-sm font-semibold">{t("chat.you")}</h2>
          <UserTurn {...props} />
        </>
      ) : (
        <AnswerTurn {...props} />
      )}
    </article>
  )
}, areTurnsEqual)

interface PendingProps {
  content: string
  images: string[]
  files: readonly Attachment[]
}

/** The message being sent, until the server has accepted it. */
export const PendingTurn = ({ content, images, files }: PendingProps) => {
  const [shown] = useState(images)
  return (
    <article className="turn opacity-70" data-role="user">
      <h2 className="mb-1 text-sm font-semibold">{t("chat.you")}</h2>
      {shown.length > 0 && (
        <ul className="mb-2 flex flex-wrap gap-2">
          {shown.map((url) => (
            <li key={url.slice(-40)}>
              <img src={url} alt={t("chat.image")} className="h-40 max-w-full object-contain" />
            </li>
          ))}
        </ul>
      )}
      {content !== "" && (
        <p className="w-fit max-w-full rounded bg-surface px-3.5 py-2 break-words whitespace-pre-wrap">
          {content}
        </p>
      )}
      {files.length > 0 && <AttachmentLinks files={files} />}
    </article>
  )
}
