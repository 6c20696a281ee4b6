import { useQuery } from "@tanstack/react-query"
import { Navigate, useParams, useSearch } from "@tanstack/react-router"
import { MessageSquare, MessageSquareOff } from "lucide-react"
import { Suspense, useEffect, useLayoutEffect, useState } from "react"
import { useLocalStorage, writeLocalStorage } from "../../browser/local-storage.ts"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { type ChatWithMessages, chatQuery } from "../../lib/chat-api.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { type Project, projectsQuery } from "../../lib/project-api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useChatEvents } from "../../lib/use-chat-events.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { LazyLoadBoundary } from "../../ui/lazy-load-boundary.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { areRenderersLoaded, loadRenderers, preloadMarkdown } from "./answer-text.tsx"
import { ChatLayout, useChosenModels } from "./chat-layout.tsx"
import { useChatModels } from "./chat-models.ts"
import { useChatSettings } from "./chat-settings.ts"
import { decodeShownSource, encodeShownSource } from "./citations.ts"
import { useStoredChatBackend } from "./use-stored-chat-backend.ts"

const SourcesPane = lazyComponent(async () => (await import("./sources-pane.tsx")).SourcesPane)

const NoModels = () => {
  const me = useCurrentUser()
  const isAdmin = me.role === "admin"
  return (
    <EmptyState
      icon={MessageSquare}
      title={t("chat.noModels")}
      action={
        isAdmin && (
          <ButtonLink variant="primary" to="/connect">
            {t("action.connectModels")}
          </ButtonLink>
        )
      }
    >
      {t(isAdmin ? "chat.noModelsAdmin" : "chat.noModelsUser")}
    </EmptyState>
  )
}

const Greeting = () => {
  const { models, isPending } = useChatModels()
  if (models.length === 0 && !isPending) return <NoModels />
  return <p className="text-center text-xl font-semibold tracking-tight">{t("chat.greeting")}</p>
}

const titleOf = (chat: ChatWithMessages | null): string =>
  chat ? chat.title || t("chat.untitled") : t("chat.new")

/** The sources that the stored pane refers to, if the message belongs to this chat. */
const Sources = ({ chat, pane }: { chat: ChatWithMessages; pane: string | null }) => {
  const shown = decodeShownSource(pane)
  const message = chat.messages.find(({ id }) => id === shown?.messageId)
  if (!shown || !message?.sources?.length) return null
  return (
    <LazyLoadBoundary>
      <Suspense>
        <SourcesPane
          key={message.id}
          message={message}
          number={shown.number}
          onNumber={(number) => writeLocalStorage("pane", encodeShownSource(message.id, number))}
          onClose={() => writeLocalStorage("pane", null)}
        />
      </Suspense>
    </LazyLoadBoundary>
  )
}

/** On a narrow page the pane covers the chat, so that it only opens on request. */
const useClosedPaneOnNarrowPage = (): void =>
  useLayoutEffect(() => {
    if (matchMedia("(width < 900px)").matches) writeLocalStorage("pane", null)
  }, [])

interface ChatProps {
  chat: ChatWithMessages | null
  /** The model of a new chat, if the URL names one. */
  named?: string | undefined
  project?: Project | undefined
}

/** The chat page, for new and existing chats. */
const Chat = ({ chat, named, project }: ChatProps) => {
  const [chosen, onChosen] = useChosenModels(chat, named)
  const settings = useChatSettings(chat)
  const stored = useLocalStorage("pane")
  const folder = project?.name ?? null
  const backend = useStoredChatBackend({ chat, models: chosen, settings, folder })
  useChatEvents(chat ?? undefined)
  useClosedPaneOnNarrowPage()
  return (
    <ChatLayout
      {...{ chat, project, chosen, onChosen, backend, settings }}
      title={titleOf(chat)}
      pane={stored === "settings" && (chat?.writable ?? true)}
      onPane={(open) => writeLocalStorage("pane", open ? "settings" : null)}
      greeting={<Greeting />}
    >
      {chat && <Sources chat={chat} pane={stored} />}
    </ChatLayout>
  )
}

/** `/`: a new chat. */
export const NewChatPage = () => {
  const { model, project: projectId } = useSearch({ strict: false })
  const { data: projects = [], isPending } = useQuery(projectsQuery)
  const project = projects.find(({ id }) => id === projectId)
  useEffect(() => {
    window.addEventListener("input", preloadMarkdown, { once: true })
    return () => window.removeEventListener("input", preloadMarkdown)
  }, [])
  // The project's name is needed to create the chat in it.
  if (projectId !== undefined && isPending) return null
  const named = model ?? project?.model ?? undefined
  return <Chat key={`${named} ${projectId}`} chat={null} named={named} project={project} />
}

/**
 * Whether a chat's answers can be rendered without layout shift; checked once when the chat is
 * loaded.
 */
const useCanRender = (chat: ChatWithMessages | undefined): boolean => {
  const texts = chat?.messages.filter(({ role }) => role === "assistant").map((m) => m.content)
  const [isRenderable, setRenderable] = useState(
    () => texts !== undefined && areRenderersLoaded(texts),
  )
  const isLoaded = chat !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the initial texts matter
  useEffect(() => {
    if (isLoaded) void loadRenderers(texts ?? []).then(() => setRenderable(true))
  }, [isLoaded])
  return isRenderable
}

/** A chat by ID: one's own or a shared one. */
const ExistingChat = ({ id }: { id: string }) => {
  const { data, error, refetch } = useQuery(chatQuery(id))
  const isNotFound = error instanceof ApiError && error.status === 404
  const isRenderable = useCanRender(data)
  const { data: projects = [] } = useQuery(projectsQuery)
  const project = projects.find(({ name }) => name === data?.folder)
  useEffect(preloadMarkdown, [])
  if (data && isRenderable && !isNotFound) return <Chat chat={data} project={project} />
  return (
    <div className="mx-auto max-w-[46rem] px-4 pt-16">
      {isNotFound && (
        <EmptyState
          icon={MessageSquareOff}
          title={t("chat.notFound")}
          action={
            <ButtonLink variant="primary" to="/">
              {t("chat.new")}
            </ButtonLink>
          }
        >
          {t("chat.notFoundHelp")}
        </EmptyState>
      )}
      {error && !isNotFound && <ErrorNote error={error} retry={() => void refetch()} />}
      {!error && <Skeleton rows={8} />}
    </div>
  )
}

/** `/c/$chatId` */
export const ChatPage = () => {
  const { chatId = "" } = useParams({ strict: false })
  return <ExistingChat key={chatId} id={chatId} />
}

/** `/s/$shareId`: another user's shared chat, read-only. Redirects its owner to `/c/$chatId`. */
export const SharedChatPage = () => {
  const { shareId = "" } = useParams({ strict: false })
  const { data } = useQuery(chatQuery(shareId))
  if (data?.writable) return <Navigate to="/c/$chatId" params={{ chatId: shareId }} replace />
  return <ExistingChat key={shareId} id={shareId} />
}
