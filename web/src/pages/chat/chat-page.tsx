import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { Ellipsis, MessageSquare, MessageSquareOff, SlidersHorizontal } from "lucide-react"
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { type ChatWithMessages, chatApi, chatQuery } from "../../lib/chat-api.ts"
import { useFollow } from "../../lib/chat-follow.ts"
import { useMe } from "../../lib/session.ts"
import { useStored, writeStored } from "../../lib/stored.ts"
import { ButtonLink, IconButton } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { canDraw, preloadMarkdown, readyToDraw } from "./answer-text.tsx"
import { ChatMenu } from "./chat-menu.tsx"
import { ChatView } from "./chat-view.tsx"
import "./chat.css"
import { paneOf, paneSource } from "./citations.ts"
import { useChatModels, useFirstModels } from "./model-choice.ts"
import { ModelPicker } from "./model-picker.tsx"
import { type ChatSettings, SettingsPane } from "./pane.tsx"
import { useSending } from "./use-sending.ts"

const SourcesPane = lazy(async () => ({
  default: (await import("./sources-pane.tsx")).SourcesPane,
}))

const NoModels = () => {
  const me = useMe()
  const isAdmin = me.role === "admin"
  return (
    <EmptyState
      icon={MessageSquare}
      title={t("chat.noModels")}
      action={
        isAdmin && (
          <ButtonLink look="primary" to="/connect">
            {t("chat.connect")}
          </ButtonLink>
        )
      }
    >
      {t(isAdmin ? "chat.noModelsAdmin" : "chat.noModelsUser")}
    </EmptyState>
  )
}

interface HeadProps {
  chat: ChatWithMessages | null
  title: string
  picker: ReactNode
  pane: boolean
  onPane: (open: boolean) => void
}

const Head = ({ chat, title, picker, pane, onPane }: HeadProps) => {
  const writable = chat?.writable ?? true
  return (
    <header className="flex h-12 shrink-0 items-center justify-between gap-2 border-b border-line px-2">
      <h1 className={writable ? "sr-only" : "truncate px-2 text-sm font-medium"}>{title}</h1>
      {writable && picker}
      {writable && (
        <span className="flex shrink-0">
          <IconButton
            icon={SlidersHorizontal}
            label={t("chat.settings")}
            aria-expanded={pane}
            onClick={() => onPane(!pane)}
          />
          {chat && (
            <ChatMenu chat={chat} trigger={<IconButton icon={Ellipsis} label={t("chat.menu")} />} />
          )}
        </span>
      )}
    </header>
  )
}

const Greeting = () => (
  <p className="py-[18vh] text-center text-xl font-semibold tracking-tight">{t("chat.greeting")}</p>
)

const titleOf = (chat: ChatWithMessages | null): string =>
  chat ? chat.title || t("chat.untitled") : t("chat.new")

const useChosen = (chat: ChatWithMessages | null, first: string[]) => {
  const [picked, setPicked] = useState<string[] | null>(null)
  const kept = chat && chat.models.length > 0 ? chat.models : first
  return [picked ?? kept, setPicked] as const
}

/** The sources that the stored pane refers to, if the message belongs to this chat. */
const Sources = ({ chat, pane }: { chat: ChatWithMessages; pane: string | null }) => {
  const shown = paneSource(pane)
  const message = chat.messages.find(({ id }) => id === shown?.messageId)
  if (!shown || !message?.sources?.length) return null
  return (
    <Suspense>
      <SourcesPane
        key={message.id}
        message={message}
        number={shown.number}
        onNumber={(number) => writeStored("pane", paneOf(message.id, number))}
        onClose={() => writeStored("pane", null)}
      />
    </Suspense>
  )
}

/** The chat page, for new and existing chats. */
const Chatting = ({ chat, named }: { chat: ChatWithMessages | null; named?: string }) => {
  const { models, favourites, isPending } = useChatModels()
  const [chosen, setChosen] = useChosen(chat, useFirstModels(models, named))
  const [fresh, setFresh] = useState<ChatSettings>({ system: "", params: {} })
  const stored = useStored("pane")
  const pane = stored === "settings" && (chat?.writable ?? true)
  const sending = useSending({ chat, models: chosen, settings: fresh })
  const title = titleOf(chat)
  useFollow(chat ?? undefined)
  useEffect(() => {
    document.title = `${title} · Portico`
  }, [title])

  const setPane = (open: boolean): void => writeStored("pane", open ? "settings" : null)
  const setSettings = (settings: ChatSettings): void => {
    if (chat) chatApi.change(chat.id, settings).catch(sending.setError)
    else setFresh(settings)
  }
  const picker = <ModelPicker {...{ models, favourites, chosen }} onChosen={setChosen} />
  const isEmpty = models.length === 0 && !isPending

  return (
    <div className="absolute inset-0 flex">
      <div className="flex min-w-0 flex-1 flex-col">
        <Head {...{ chat, title, picker, pane }} onPane={setPane} />
        <ChatView
          {...{ chat, models, chosen, sending }}
          greeting={isEmpty ? <NoModels /> : <Greeting />}
        />
      </div>
      {chat && <Sources chat={chat} pane={stored} />}
      {pane && (
        <SettingsPane
          key={chat?.id ?? "new"}
          settings={chat ?? fresh}
          onSettings={setSettings}
          onClose={() => setPane(false)}
        />
      )}
    </div>
  )
}

/** `/`: a new chat. */
export const NewChatPage = () => {
  const { model } = useSearch({ strict: false })
  useEffect(() => {
    window.addEventListener("input", preloadMarkdown, { once: true })
    return () => window.removeEventListener("input", preloadMarkdown)
  }, [])
  return <Chatting key={model} chat={null} {...(model !== undefined && { named: model })} />
}

/**
 * Whether a chat's answers can be rendered without layout shift; checked once when the chat is
 * loaded.
 */
const useDrawable = (chat: ChatWithMessages | undefined): boolean => {
  const texts = chat?.messages.filter(({ role }) => role === "assistant").map((m) => m.content)
  const [drawable, setDrawable] = useState(() => texts !== undefined && canDraw(texts))
  const here = chat !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the initial texts matter
  useEffect(() => {
    if (here) void readyToDraw(texts ?? []).then(() => setDrawable(true))
  }, [here])
  return drawable
}

/** A chat by ID: one's own or a shared one. */
const OneChat = ({ id }: { id: string }) => {
  const { data, error, refetch } = useQuery(chatQuery(id))
  const gone = error instanceof ApiError && error.status === 404
  const drawable = useDrawable(data)
  useEffect(preloadMarkdown, [])
  if (gone) {
    return (
      <div className="mx-auto max-w-[46rem] px-4 pt-16">
        <EmptyState
          icon={MessageSquareOff}
          title={t("chat.notFound")}
          action={
            <ButtonLink look="primary" to="/">
              {t("chat.new")}
            </ButtonLink>
          }
        >
          {t("chat.notFoundHelp")}
        </EmptyState>
      </div>
    )
  }
  if (data && drawable) return <Chatting chat={data} />
  return (
    <div className="mx-auto max-w-[46rem] px-4 pt-16">
      {error ? <ErrorNote error={error} retry={() => void refetch()} /> : <Skeleton rows={8} />}
    </div>
  )
}

/** `/c/$chatId` */
export const ChatPage = () => {
  const { chatId } = useParams({ strict: false })
  return <OneChat key={chatId} id={chatId ?? ""} />
}

/** `/s/$shareId`: another user's shared chat, read-only. Redirects its owner to `/c/$chatId`. */
export const SharedChatPage = () => {
  const { shareId } = useParams({ strict: false })
  const navigate = useNavigate()
  const { data } = useQuery(chatQuery(shareId ?? ""))
  const mine = data?.writable === true
  useEffect(() => {
    if (mine && shareId !== undefined) {
      void navigate({ to: "/c/$chatId", params: { chatId: shareId }, replace: true })
    }
  }, [mine, shareId, navigate])
  return <OneChat key={shareId} id={shareId ?? ""} />
}
