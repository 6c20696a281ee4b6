import { ChevronDown, Ellipsis, Pencil, RefreshCw, Square, Volume2 } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { canSpeak, speak, stopSpeaking, useIsSpeaking } from "../../browser/speech.ts"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"
import { AlternativeSwitcher } from "./alternative-switcher.tsx"
import { RatingButtons, RatingReason } from "./answer-rating.tsx"
import { LazyModelList } from "./model-picker.tsx"
import type { TurnProps } from "./turn-props.ts"
import { TurnTools, WhileIdle } from "./turn-tools.tsx"
import { useFocusAfterRemoval } from "./use-focus-after-removal.ts"

const readAloud = async ({ id, content }: Message): Promise<void> => {
  const { toSpokenText } = await import("./spoken-text.ts")
  speak(id, toSpokenText(content))
}

/** Stops reading this answer aloud; leaving the answer does as well. */
const StopReading = ({ id }: { id: string }) => {
  const button = useFocusAfterRemoval<HTMLButtonElement>((stop) => stop.previousElementSibling)
  useEffect(() => () => stopSpeaking(id), [id])
  return (
    <IconButton
      ref={button}
      icon={Square}
      label={t("answer.stopReading")}
      className="[&_svg]:fill-current"
      onClick={() => stopSpeaking(id)}
    />
  )
}

type AnswerToolsProps = TurnProps & { message: Message }

const MoreActions = ({ message, writable, onEdit }: AnswerToolsProps) => {
  if (message.content === "" || !(writable || canSpeak())) return null
  return (
    <Menu align="start" trigger={<IconButton icon={Ellipsis} label={t("answer.more")} />}>
      {writable && (
        <MenuItem icon={Pencil} onClick={() => onEdit(message.id)}>
          {t("answer.edit")}
        </MenuItem>
      )}
      {canSpeak() && (
        <MenuItem icon={Volume2} onClick={() => void readAloud(message)}>
          {t("answer.read")}
        </MenuItem>
      )}
    </Menu>
  )
}

const Regenerate = ({ turn, actions, message }: AnswerToolsProps) => (
  <WhileIdle>
    <IconButton
      icon={RefreshCw}
      label={t("chat.again")}
      onClick={() => actions.report(actions.regenerate(turn.messages))}
    />
    <LazyModelList
      value={null}
      onChoose={(model) => actions.report(actions.regenerate([message], [model]))}
      trigger={
        <IconButton
          icon={ChevronDown}
          label={t("answer.againWith")}
          aria-haspopup="listbox"
          className="w-6"
        />
      }
    />
  </WhileIdle>
)

/** Actions on an answer that has ended; `children` come last. */
export const AnswerTools = (props: AnswerToolsProps & { children?: ReactNode }) => {
  const { message, turn, writable, actions, children } = props
  const isSpeaking = useIsSpeaking(message.id)
  const [isEditingReason, setEditingReason] = useState(false)
  const { rating } = message
  const isRatable = actions.isRatable && writable && !message.edited && message.content !== ""
  return (
    <>
      <TurnTools>
        {message.content !== "" && (
          <CopyButton text={message.content} label={t("chat.copyAnswer")} />
        )}
        {writable && <Regenerate {...props} />}
        {isRatable && (
          <RatingButtons
            message={message}
            onRate={(next) => {
              setEditingReason(next !== null)
              actions.report(actions.rate(message, next))
            }}
          />
        )}
        <MoreActions {...props} />
        {isSpeaking && <StopReading id={message.id} />}
        {message === turn.messages[0] && <AlternativeSwitcher turn={turn} actions={actions} />}
        {children}
      </TurnTools>
      {rating && (
        <RatingReason
          rating={rating}
          editing={isEditingReason}
          onEditing={setEditingReason}
          onSave={(reason) => actions.rate(message, { ...rating, reason })}
        />
      )}
    </>
  )
}
