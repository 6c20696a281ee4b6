import { CheckCircle2, Circle } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { Answer } from "./answer.tsx"
import { AnswerStats, ShortAnswerStats } from "./answer-stats.tsx"
import { AnswerTools } from "./answer-tools.tsx"
import { EditMessage } from "./edit-message.tsx"
import type { TurnProps } from "./turn-props.ts"
import { WhileIdle } from "./turn-tools.tsx"

/** A tinted square with the first letter or digit of the model's name: "L" for "llama3.2". */
const ModelAvatar = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="flex size-6 shrink-0 items-center justify-center rounded-md bg-accent-soft text-xs font-semibold text-accent select-none"
  >
    {/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? "·"}
  </span>
)

type AnswerProps = TurnProps & { message: Message }

const isCompared = ({ turn }: AnswerProps): boolean => turn.messages.length > 1

/** The model's name. Next to other answers, it stays in view and shows time and tokens. */
const AnswerHeading = (props: AnswerProps) => {
  const { message, turn, writable, actions } = props
  const isChosen = message === turn.chosen
  const name = actions.nameOf(message.model)
  return (
    <div
      className={classes(
        "flex min-h-8 items-center gap-2",
        isCompared(props)
          ? "sticky top-0 z-5 -mx-3 mb-2 rounded-t border-b border-line bg-bg px-3 py-1"
          : "mb-1",
      )}
    >
      <ModelAvatar name={name} />
      <h2 className="min-w-0 truncate text-sm font-semibold">{name}</h2>
      {message.edited && <span className="text-xs text-muted">{t("answer.edited")}</span>}
      {isCompared(props) && (
        <>
          <ShortAnswerStats
            message={message}
            className="ml-auto shrink-0 text-xs text-muted tabular"
          />
          <WhileIdle>
            <IconButton
              icon={isChosen ? CheckCircle2 : Circle}
              label={t(isChosen ? "chat.chosen" : "chat.choose")}
              aria-pressed={isChosen}
              disabled={!writable}
              onClick={() => actions.report(actions.showBranch(message))}
            />
          </WhileIdle>
        </>
      )}
    </div>
  )
}

const SingleAnswer = (props: AnswerProps) => {
  const { message, writable, editing, onEdit, actions } = props
  const isEditing = editing === message.id
  return (
    <>
      <AnswerHeading {...props} />
      {isEditing ? (
        <EditMessage
          content={message.content}
          label={t("answer.edit")}
          saveLabel={t("answer.saveVersion")}
          multiline
          onSave={(content) => actions.editAnswer(message, content)}
          onClose={() => onEdit(null)}
        />
      ) : (
        <Answer {...{ message, writable, actions }} />
      )}
      {!isEditing && message.state !== "running" && (
        <AnswerTools {...props}>
          {!isCompared(props) && (
            <AnswerStats message={message} className="turn-cost ml-2 text-xs text-muted tabular" />
          )}
        </AnswerTools>
      )}
    </>
  )
}

/** One answer, or several side by side. */
export const AnswerTurn = (props: TurnProps) => {
  const { messages, chosen } = props.turn
  const [only] = messages
  if (messages.length === 1 && only) return <SingleAnswer {...props} message={only} />
  return (
    <div className="side-by-side grid gap-4">
      {messages.map((message) => (
        <section
          key={message.id}
          className={classes(
            "min-w-0 rounded border px-3 pb-3",
            message === chosen ? "border-accent" : "border-line",
          )}
        >
          <SingleAnswer {...props} message={message} />
        </section>
      ))}
    </div>
  )
}
