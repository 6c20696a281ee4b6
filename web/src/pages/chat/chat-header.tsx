import { Link, useNavigate } from "@tanstack/react-router"
import { Ellipsis, Folder, MessageCircleDashed, SlidersHorizontal } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { ChatWithMessages } from "../../lib/chat-api.ts"
import type { Project } from "../../lib/project-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { PageBar } from "../../ui/page-bar.tsx"
import { ChatCost } from "./chat-cost.tsx"
import { ChatMenu } from "./chat-menu.tsx"
import { ModelPicker, type ModelPickerProps } from "./model-picker.tsx"
import { SharedMark } from "./shared-mark.tsx"

const settingsButtonId = "chat-settings"

/** For the pane that the button opened, when it closes. */
export const focusSettingsButton = (): void => document.getElementById(settingsButtonId)?.focus()

export interface ChatHeaderProps extends ModelPickerProps {
  /** Null on the start page. */
  chat: ChatWithMessages | null
  /** The project that the chat is in. */
  project?: Project | undefined
  isTemporary?: boolean
  title: string
  /** Whether the settings are open. */
  pane: boolean
  onPane: (open: boolean) => void
}

/** Switches between a chat that is saved and one that is not; keeps the model if it is only one. */
const TemporaryToggle = ({
  isTemporary,
  chosen,
}: Pick<ChatHeaderProps, "isTemporary" | "chosen">) => {
  const navigate = useNavigate()
  const search = chosen.length === 1 ? { model: chosen[0] } : {}
  return (
    <IconButton
      icon={MessageCircleDashed}
      label={t("temporary.title")}
      aria-pressed={isTemporary}
      className={isTemporary ? "bg-accent-soft text-accent" : ""}
      onClick={() => void navigate({ to: isTemporary ? "/" : "/temporary", search })}
    />
  )
}

export const ChatHeader = (props: ChatHeaderProps) => {
  const { project, isTemporary = false, title, chosen, onChosen, pane, onPane } = props
  const chat = isTemporary ? null : props.chat
  const writable = chat?.writable ?? true
  return (
    <PageBar>
      <h1 className={writable ? "sr-only" : "truncate px-2 text-sm font-medium"}>{title}</h1>
      {writable && <ModelPicker chosen={chosen} onChosen={onChosen} />}
      {writable && (
        <span className="flex min-w-0 shrink-0 items-center">
          {chat?.shared && (
            <span className="px-2">
              <SharedMark />
            </span>
          )}
          {chat && <ChatCost chat={chat} />}
          {project && <ProjectLink project={project} />}
          {!chat && <TemporaryToggle {...{ isTemporary, chosen }} />}
          <IconButton
            icon={SlidersHorizontal}
            label={t("chat.settings")}
            id={settingsButtonId}
            aria-expanded={pane}
            onClick={() => onPane(!pane)}
          />
          {chat && (
            <ChatMenu chat={chat} trigger={<IconButton icon={Ellipsis} label={t("chat.menu")} />} />
          )}
        </span>
      )}
    </PageBar>
  )
}

/** The project of the chat; on a narrow page, its name would not fit. */
const ProjectLink = ({ project }: { project: Project }) => (
  <Link
    to="/projects/$projectId"
    params={{ projectId: project.id }}
    title={`${t("projects.project")}: ${project.name}`}
    className="flex h-8 min-w-0 items-center gap-1.5 rounded px-2 text-sm text-muted hover:bg-hover hover:text-text"
  >
    <Folder aria-hidden className="size-4 shrink-0" />
    <span className="max-w-40 truncate max-wide:sr-only">{project.name}</span>
  </Link>
)
