import { ArrowDown } from "lucide-react"
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from "react"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { writeLocalStorage } from "../../browser/local-storage.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { buildTurns, findLastChosen, isRunning, type Turn } from "../../lib/chat-tree.ts"
import { newChatDraft } from "../../lib/drafts.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { copyText } from "../../ui/copy-button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { supportsImages, useChatModels } from "./chat-models.ts"
import { encodeShownSource } from "./citations.ts"
import { findCollectionSearch } from "./collection-search.ts"
import { Composer, type ComposerHandle } from "./composer.tsx"
import { focusComposer } from "./composer-focus.ts"
import { rememberComposerPosition, useComposerSlide } from "./composer-slide.ts"
import { useScrollToFoundMessage } from "./found-message.ts"
import { LimitNotice } from "./limit-notice.tsx"
import { ReadOnlyBar } from "./read-only-bar.tsx"
import { StartSuggestions } from "./start-suggestions.tsx"
import type { TurnActions } from "./turn-props.ts"
import { TurnView } from "./turn-view.tsx"
import { useStickToEnd } from "./use-stick-to-end.ts"
import type { ChatBackend, OutgoingMessage } from "./use-stored-chat-backend.ts"
import { PendingTurn } from "./user-turn.tsx"

export interface ChatViewProps {
  chat: ChatWithMessages | null
  chosen: readonly string[]
  backend: ChatBackend
  onChosen: (ids: string[]) => void
  /** Shown above the composer of an empty chat. */
  greeting: ReactNode
}

/** Actions on the messages of the current chat, with a stable identity. */
const useTurnActions = (
  chat: ChatWithMessages | null,
  models: readonly ModelRecord[],
  { actions, isStored, setError }: ChatBackend,
): TurnActions => {
  const latest = useRef(chat)
  latest.current = chat
  return useMemo(() => {
    const nameById = new Map(models.map(({ id, name }) => [id, name]))
    return {
      ...actions,
      regenerate: (...answers) => actions.regenerate(...answers).then(focusComposer),
      continueAnswer: (message) => actions.continueAnswer(message).then(focusComposer),
      report: (action) => void action.catch(setError),
      nameOf: (model) => (model === null ? "" : (nameById.get(model) ?? model)),
      isRatable: isStored,
      openSource: (messageId, number) =>
        writeLocalStorage("pane", encodeShownSource(messageId, number)),
      searchOf: (answer) => latest.current && findCollectionSearch(latest.current, answer),
    }
  }, [models, actions, isStored, setError])
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
  /** Hides what cannot be done while an answer is being generated. */
  running: boolean
  children: ReactNode
}

/** The scrolling area; until a chat has started, its content is above the centered composer. */
const Messages = ({ scroller, content, hasStarted, running, children }: MessagesProps) => (
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
    <div
      ref={content}
      data-running={running || undefined}
      className={hasStarted ? "conversation" : "mt-auto px-4 pb-6"}
    >
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

const missingModel = (chosen: readonly string[]): string | null =>
  chosen.length === 0 ? t("chat.noModels") : null

const deriveView = (chat: ChatWithMessages | null, isStored: boolean) => {
  const messages = chat?.messages ?? []
  const turns = buildTurns(messages, chat?.current_id ?? null)
  const id = chat?.id ?? newChatDraft
  return {
    id,
    draft: isStored ? id : null,
    turns,
    running: isRunning(messages),
    isAnswered: turns.at(-1)?.messages.every(({ state }) => state === "completed") ?? false,
    writable: chat?.writable ?? true,
    ownerName: chat?.owner_name ?? t("chat.you"),
    isEmpty: turns.length === 0 && chat?.writable !== false,
    lastAnswer: findLastChosen(turns, isAnswer),
    lastFiles: findLastChosen(turns, isQuestion)?.files ?? noFiles,
  }
}

/** The message being edited; the composer gets the focus back afterwards. */
const useEditing = (turns: readonly Turn[], running: boolean) => {
  const [editing, setEditing] = useState<string | null>(null)
  const edit = useCallback((messageId: string | null): void => {
    setEditing(messageId)
    // The field that had the focus is gone.
    if (messageId === null) focusComposer()
  }, [])
  const editLast = (): void => {
    const last = findLastChosen(turns, isQuestion)
    if (last && !running) setEditing(last.id)
  }
  return { editing, edit, editLast }
}

/** The messages of a chat and the composer. */
export const ChatView = (props: ChatViewProps) => {
  const { chat, chosen, onChosen, backend, greeting } = props
  const { models } = useChatModels()
  const scroller = useRef<HTMLElement>(null)
  const composerBox = useRef<HTMLDivElement>(null)
  const composer = useRef<ComposerHandle>(null)
  const content = useRef<HTMLDivElement>(null)
  const { pending, error, send, stop } = backend
  const view = deriveView(chat, backend.isStored)
  const { id, turns, running, isAnswered, isEmpty, writable, ownerName, lastAnswer } = view
  const { isAway, scrollToEnd, scrollToRange } = useStickToEnd(scroller, content, id)
  const actions = useTurnActions(chat, models, backend)
  useScrollToFoundMessage({
    chat,
    turns,
    showBranch: (message) => actions.report(actions.showBranch(message)),
    scrollTo: scrollToRange,
  })
  const hasStarted = !isEmpty || pending !== null
  const { editing, edit, editLast } = useEditing(turns, running)
  useComposerSlide(composerBox, hasStarted)

  const sendAndFollow = async (message: OutgoingMessage): Promise<void> => {
    if (!hasStarted) rememberComposerPosition(composerBox.current)
    scrollToEnd()
    await send(message)
    scrollToEnd()
  }
  useShortcut("escape", running && writable ? stop : undefined)
  useShortcut("mod+shift+c", lastAnswer && (() => void copyText(lastAnswer.content)))

  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
      <Messages {...{ scroller, content, hasStarted, running }}>
        {turns.map((turn) => (
          <TurnView
            key={turn.key}
            turn={turn}
            writable={writable}
            author={ownerName}
            editing={turn.messages.some(({ id }) => id === editing) ? editing : null}
            onEdit={edit}
            actions={actions}
          />
        ))}
        {pending && <PendingTurn {...pending} />}
        {!hasStarted && greeting}
      </Messages>
      {hasStarted && <ScrollToEndButton isAway={isAway} onClick={scrollToEnd} />}
      <div ref={composerBox} className="mx-auto w-full max-w-[49rem] px-3 pb-3 wide:px-4">
        <SendError error={error} />
        {writable && <LimitNotice running={running} />}
        {writable ? (
          <Composer
            key={id}
            ref={composer}
            draft={view.draft}
            running={running}
            isAnswered={isAnswered}
            blocked={missingModel(chosen)}
            imageWarning={imageWarning(chosen, models)}
            previousFiles={view.lastFiles}
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
