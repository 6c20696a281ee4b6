import { ArrowDown } from "lucide-react"
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from "react"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import { type ChatWithMessages, chatApi, type Message } from "../../lib/chat-api.ts"
import { buildTurns, findLastChosen, isRunning } from "../../lib/chat-tree.ts"
import { newChatDraft } from "../../lib/drafts.ts"
import { writeLocalStorage } from "../../lib/local-storage.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { copyText } from "../../ui/copy-button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { supportsImages } from "./chat-models.ts"
import { encodePane } from "./citations.ts"
import { Composer, type ComposerHandle } from "./composer.tsx"
import { focusComposer } from "./composer-focus.ts"
import { rememberComposerPosition, useComposerSlide } from "./composer-slide.ts"
import { createMessageActions } from "./message-actions.ts"
import { findQuestionSearch } from "./question-search.ts"
import { ReadOnlyBar } from "./read-only-bar.tsx"
import { StartSuggestions } from "./start-suggestions.tsx"
import { type TurnActions, TurnView } from "./turn-view.tsx"
import type { OutgoingMessage, useSendMessage } from "./use-send-message.ts"
import { useStickToEnd } from "./use-stick-to-end.ts"
import { PendingTurn } from "./user-turn.tsx"

interface ChatViewProps {
  chat: ChatWithMessages | null
  models: readonly ModelRecord[]
  chosen: readonly string[]
  sending: ReturnType<typeof useSendMessage>
  onChosen: (ids: string[]) => void
  /** Shown above the composer of an empty chat. */
  greeting: ReactNode
}

/** Callbacks with a stable identity that act on the current chat. */
const useStableTurnActions = (
  chat: ChatWithMessages | null,
  models: readonly ModelRecord[],
  onError: (error: unknown) => void,
): TurnActions => {
  const latest = useRef({ chat, failed: onError })
  latest.current = { chat, failed: onError }
  return useMemo(() => {
    const nameById = new Map(models.map(({ id, name }) => [id, name]))
    const currentActions = (): ReturnType<typeof createMessageActions> => {
      const { chat: current } = latest.current
      if (!current) throw new Error("No chat is open.")
      return createMessageActions(current)
    }
    const reportFailure = (action: Promise<void>): void => void action.catch(latest.current.failed)
    return {
      nameOf: (model) => (model === null ? "" : (nameById.get(model) ?? model)),
      regenerate: (messages, models) =>
        reportFailure(currentActions().regenerate(messages, models)),
      continueAnswer: (message) => reportFailure(currentActions().continueAnswer(message)),
      edit: (message, content) => currentActions().edit(message, content),
      editAnswer: (message, content) => currentActions().editAnswer(message, content),
      rate: (message, rating) => reportFailure(currentActions().rate(message, rating)),
      saveReason: (message, rating) => currentActions().rate(message, rating),
      showAlternative: (message) => reportFailure(currentActions().showAlternative(message)),
      chooseAnswer: (message) => reportFailure(currentActions().chooseAnswer(message)),
      openSource: (messageId, number) => writeLocalStorage("pane", encodePane(messageId, number)),
      searchOf: (answer) => latest.current.chat && findQuestionSearch(latest.current.chat, answer),
    }
  }, [models])
}

const isAnswer = ({ role }: Message): boolean => role === "assistant"

const isQuestion = ({ role }: Message): boolean => role === "user"
const noFiles: Message["files"] = []

const announcements: Record<Message["state"], MessageKey> = {
  running: "chat.writing",
  completed: "chat.answered",
  stopped: "answer.wasStopped",
  failed: "answer.hasFailed",
  interrupted: "answer.hasFailed",
}

/** Announces to screen readers that an answer has started, and how it ended. */
const Announcer = ({ answer, name }: { answer: Message | undefined; name: string }) => (
  <p role="status" className="sr-only">
    {answer && t(announcements[answer.state], { model: name })}
  </p>
)

const imageWarning = (chosen: readonly string[], models: readonly ModelRecord[]): string | null => {
  const blindModel = models.find((model) => chosen.includes(model.id) && !supportsImages(model))
  return blindModel ? t("chat.blind", { model: blindModel.name }) : null
}

/**
 * Shown while not at the end, and while it has the keyboard focus, which removing it would lose.
 */
const ScrollToEndButton = ({ isAway, onClick }: { isAway: boolean; onClick: () => void }) => {
  const [focused, setFocused] = useState(false)
  if (!isAway && !focused) return null
  return (
    <div className="pointer-events-none relative h-0">
      <span className="pointer-events-auto absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full border border-line bg-raised shadow-float">
        <IconButton
          icon={ArrowDown}
          label={t("chat.down")}
          onClick={onClick}
          onFocus={({ target }) => setFocused(target.matches(":focus-visible"))}
          onBlur={() => setFocused(false)}
        />
      </span>
    </div>
  )
}

interface MessagesProps {
  scroller: RefObject<HTMLElement | null>
  content: RefObject<HTMLDivElement | null>
  hasStarted: boolean
  children: ReactNode
}

/** The scrolling area; until a chat has started, its content is above the centered composer. */
const Messages = ({ scroller, content, hasStarted, children }: MessagesProps) => (
  <section
    ref={scroller}
    aria-label={t("chat.messages")}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    tabIndex={0}
    className={classes(
      "min-h-0 overflow-y-auto outline-offset-[-2px]",
      hasStarted ? "flex-1" : "flex flex-[44_1_0] flex-col",
    )}
  >
    <div ref={content} className={hasStarted ? "conversation" : "mt-auto px-4 pb-6"}>
      {children}
    </div>
  </section>
)

const SendError = ({ error }: { error: unknown }) =>
  error !== null && (
    <div className="pb-2">
      <ErrorNote error={error} />
    </div>
  )

const deriveView = (chat: ChatWithMessages | null) => {
  const messages = chat?.messages ?? []
  const turns = buildTurns(messages, chat?.current_id ?? null)
  return {
    id: chat?.id ?? newChatDraft,
    turns,
    running: isRunning(messages),
    isAnswered: turns.at(-1)?.messages.every(({ state }) => state === "completed") ?? false,
    writable: chat?.writable ?? true,
    ownerName: chat?.owner_name ?? t("chat.you"),
    lastAnswer: findLastChosen(turns, isAnswer),
    lastFiles: findLastChosen(turns, isQuestion)?.files ?? noFiles,
  }
}

/** The messages of a chat and the composer. */
export const ChatView = (props: ChatViewProps) => {
  const { chat, models, chosen, onChosen, sending, greeting } = props
  const scroller = useRef<HTMLElement>(null)
  const composerBox = useRef<HTMLDivElement>(null)
  const composer = useRef<ComposerHandle>(null)
  const content = useRef<HTMLDivElement>(null)
  const [editing, setEditing] = useState<string | null>(null)
  const { pending, error, send, setError } = sending
  const { id, turns, running, isAnswered, writable, ownerName, lastAnswer, lastFiles } =
    deriveView(chat)
  const { away, toEnd } = useStickToEnd(scroller, content, id)
  const actions = useStableTurnActions(chat, models, setError)
  const hasStarted = turns.length > 0 || pending !== null || !writable
  useComposerSlide(composerBox, hasStarted)

  const stop = (): void => void chatApi.stop(id).catch(setError)
  const edit = useCallback((messageId: string | null): void => {
    setEditing(messageId)
    // The field that had the focus is gone.
    if (messageId === null) focusComposer()
  }, [])
  const editLast = (): void => {
    const last = findLastChosen(turns, isQuestion)
    if (last && !running) setEditing(last.id)
  }
  const sendAndFollow = async (message: OutgoingMessage): Promise<void> => {
    if (!hasStarted) rememberComposerPosition(composerBox.current)
    toEnd()
    await send(message)
    toEnd()
  }
  useShortcut("escape", running && writable ? stop : undefined)
  useShortcut("mod+shift+c", lastAnswer && (() => void copyText(lastAnswer.content)))

  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
      <Messages {...{ scroller, content, hasStarted }}>
        {turns.map((turn) => (
          <TurnView
            key={turn.key}
            turn={turn}
            writable={writable && !running}
            author={ownerName}
            editing={turn.messages.some(({ id }) => id === editing) ? editing : null}
            onEdit={edit}
            actions={actions}
          />
        ))}
        {pending && <PendingTurn {...pending} />}
        {!hasStarted && greeting}
      </Messages>
      {hasStarted && <ScrollToEndButton isAway={away} onClick={toEnd} />}
      <div ref={composerBox} className="mx-auto w-full max-w-[49rem] px-3 pb-3 wide:px-4">
        <SendError error={error} />
        {writable ? (
          <Composer
            key={id}
            ref={composer}
            draft={id}
            running={running}
            isAnswered={isAnswered}
            blocked={chosen.length === 0 ? t("chat.noModels") : null}
            imageWarning={imageWarning(chosen, models)}
            previousFiles={lastFiles}
            onSend={sendAndFollow}
            onStop={stop}
            onEditLast={editLast}
          />
        ) : (
          <ReadOnlyBar chatId={id} ownerName={ownerName} />
        )}
      </div>
      {!hasStarted && (
        <StartSuggestions
          {...{ models, chosen, onChosen }}
          onStarter={(text) => composer.current?.writeText(text)}
        />
      )}
      <Announcer answer={lastAnswer} name={actions.nameOf(lastAnswer?.model ?? null)} />
    </div>
  )
}
