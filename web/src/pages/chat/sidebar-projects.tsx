import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { ChevronRight, Folder, FolderPlus, SquarePen } from "lucide-react"
import {
  readLocalStorage,
  useLocalStorage,
  writeLocalStorage,
} from "../../browser/local-storage.ts"
import { t } from "../../i18n/translate.ts"
import { chatListQuery } from "../../lib/chat-api.ts"
import { type Project, projectsQuery } from "../../lib/project-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { IconLink } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { ErrorNote } from "../../ui/error-note.tsx"
import { ChatDropTarget } from "./chat-drag.tsx"
import { ChatRow } from "./chat-row.tsx"
import { PagedChats } from "./paged-chats.tsx"

const storageKey = "projects.open"

const parseIds = (stored: string | null): string[] => stored?.split(" ").filter(Boolean) ?? []

/**
 * Loads the chats of the open projects, so that they can be shown together with what is below them.
 * @returns whether they are loaded, or the projects could not be
 */
export const useOpenProjectsLoaded = (): boolean => {
  const { data: projects } = useQuery(projectsQuery)
  const open = parseIds(useLocalStorage(storageKey))
  const names = (projects ?? []).filter(({ id }) => open.includes(id)).map(({ name }) => name)
  const { isPending } = useQuery({
    queryKey: ["openProjects"],
    queryFn: () =>
      Promise.all(
        names.map((name) => queryClient.prefetchInfiniteQuery(chatListQuery({ folder: name }))),
      ).then(() => null),
    enabled: projects !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return projects === undefined || !isPending
}

const setOpen = (id: string, isOpen: boolean): void => {
  const rest = parseIds(readLocalStorage(storageKey)).filter((other) => other !== id)
  writeLocalStorage(storageKey, [...rest, ...(isOpen ? [id] : [])].join(" "))
}

const ProjectChats = ({ project }: { project: Project }) => (
  <PagedChats filter={{ folder: project.name }} skeletonRows={2}>
    {(chats) =>
      chats.length === 0 ? (
        <p className="px-2.5 py-1.5 text-xs text-muted">{t("projects.empty")}</p>
      ) : (
        <ul>
          {chats.map((chat) => (
            <ChatRow key={chat.id} chat={chat} />
          ))}
        </ul>
      )
    }
  </PagedChats>
)

interface ProjectRowProps {
  project: Project
  isOpen: boolean
  onChats: (ids: string[]) => void
}

const ProjectRow = ({ project, isOpen, onChats }: ProjectRowProps) => {
  const { id, name } = project
  return (
    <li>
      <ChatDropTarget
        onChats={(ids) => {
          setOpen(id, true)
          onChats(ids)
        }}
      >
        <div className="group relative flex items-center rounded hover:bg-hover">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={t("projects.chatsOf", { name })}
            onClick={() => setOpen(id, !isOpen)}
            className="flex size-7.5 shrink-0 items-center justify-center rounded text-muted hover:text-text"
          >
            <ChevronRight
              aria-hidden
              className={classes("size-3.5 transition-transform", isOpen && "rotate-90")}
            />
          </button>
          <Link
            to="/projects/$projectId"
            params={{ projectId: id }}
            className="flex min-w-0 flex-1 items-center gap-2 rounded py-1.5 pr-9 text-sm data-[status=active]:font-medium"
          >
            <Folder aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="truncate">{name}</span>
          </Link>
          <span className="absolute top-0 right-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100">
            <IconLink
              icon={SquarePen}
              label={t("projects.newChatIn", { name })}
              to="/"
              search={{ project: id }}
            />
          </span>
        </div>
        {isOpen && (
          <div className="ml-3.5 border-l border-line pl-3">
            <ProjectChats project={project} />
          </div>
        )}
      </ChatDropTarget>
    </li>
  )
}

interface SidebarProjectsProps {
  /** Chats were dropped on a project. */
  onMove: (ids: string[], folder: string) => void
}

/** The user's projects, each with its chats. */
export const SidebarProjects = ({ onMove }: SidebarProjectsProps) => {
  const { data: projects = [], error, refetch } = useQuery(projectsQuery)
  const open = new Set(parseIds(useLocalStorage(storageKey)))
  return (
    <section aria-label={t("projects.title")} className="mt-1">
      <div className="flex items-center justify-between pl-2.5">
        <h3 className="text-xs font-medium text-muted">{t("projects.title")}</h3>
        <IconLink icon={FolderPlus} label={t("projects.create")} to="/projects/new" />
      </div>
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      <ul>
        {projects.map((project) => (
          <ProjectRow
            key={project.id}
            project={project}
            isOpen={open.has(project.id)}
            onChats={(ids) => onMove(ids, project.name)}
          />
        ))}
      </ul>
    </section>
  )
}
