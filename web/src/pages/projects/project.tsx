import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { Folder, MessageSquare, SquarePen } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { type Project, projectApi, projectsQuery } from "../../lib/project-api.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Form } from "../../ui/form.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Time } from "../../ui/time.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { useChatList } from "../chat/use-chat-list.ts"
import { ProjectFields, type ProjectValues } from "./project-fields.tsx"

const NewChat = ({ id }: { id: string }) => (
  <ButtonLink variant="primary" icon={SquarePen} to="/" search={{ project: id }}>
    {t("projects.newChat")}
  </ButtonLink>
)

const Chats = ({ project }: { project: Project }) => {
  const list = useChatList({ folder: project.name })
  return (
    <Section title={t("label.chats")}>
      <QueryResult query={list}>
        {() =>
          list.chats.length === 0 ? (
            <EmptyState icon={MessageSquare} title={t("projects.empty")}>
              {t("projects.emptyHelp")}
            </EmptyState>
          ) : (
            <ul className="rounded border border-line">
              {list.chats.map(({ id, title, updated_at }) => (
                <li
                  key={id}
                  className="flex items-center gap-3 border-b border-line px-3 py-2 text-sm last:border-0"
                >
                  <Link
                    to="/c/$chatId"
                    params={{ chatId: id }}
                    preload={false}
                    className="min-w-0 flex-1 truncate rounded-sm hover:underline"
                  >
                    {title || t("chat.untitled")}
                  </Link>
                  <span className="shrink-0 text-xs text-muted">
                    <Time at={updated_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
      {list.hasNextPage && (
        <Button
          variant="quiet"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t("chat.more")}
        </Button>
      )}
    </Section>
  )
}

const valuesOf = ({ name, instructions, model, files }: Project): ProjectValues => ({
  name,
  instructions,
  model,
  files,
})

const Settings = ({ project }: { project: Project }) => {
  const form = useEditForm({
    object: project,
    valuesOf,
    save: (values) => projectApi.update(project.id, values),
  })
  return (
    <Section title={t("projects.settings")}>
      <Form form={form}>
        <ProjectFields form={form} destination={`projects.${project.id}`} />
      </Form>
    </Section>
  )
}

const ProjectDetails = ({ project }: { project: Project }) => {
  const { id, name } = project
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    await navigate({ to: "/", ignoreBlocker: true })
    await projectApi.remove(id)
  }
  return (
    <Page narrow title={name} action={<NewChat id={id} />}>
      <Chats project={project} />
      <Settings project={project} />
      <DeleteSection
        action={t("projects.delete")}
        title={t("action.deleteOne", { name })}
        lead={t("projects.deleteLead")}
        onRemove={remove}
      />
    </Page>
  )
}

/** `/projects/$projectId` */
export const ProjectPage = () => {
  const { projectId } = useParams({ strict: false })
  const projects = useQuery(projectsQuery)
  const project = projects.data?.find(({ id }) => id === projectId)
  if (project) return <ProjectDetails key={project.id} project={project} />
  return (
    <Page narrow title={t("projects.project")}>
      <QueryResult query={projects}>
        {() => (
          <EmptyState
            icon={Folder}
            title={t("projects.notFound")}
            action={<ButtonLink to="/">{t("error.home")}</ButtonLink>}
          >
            {t("projects.notFoundHelp")}
          </EmptyState>
        )}
      </QueryResult>
    </Page>
  )
}
