import { t } from "../../i18n/translate.ts"
import { projectApi } from "../../lib/project-api.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { ProjectFields, type ProjectValues } from "./project-fields.tsx"

const initial: ProjectValues = { name: "", instructions: "", model: null, files: [] }

/** `/projects/new` */
export const NewProjectPage = () => {
  const form = useCreateForm({
    initial,
    create: projectApi.create,
    onCreated: ({ id }, router) =>
      router.navigate({
        to: "/projects/$projectId",
        params: { projectId: id },
        ignoreBlocker: true,
      }),
  })
  return (
    <CreatePage title={t("projects.create")} lead={t("projects.lead")} form={form}>
      <ProjectFields form={form} destination="projects.new" />
    </CreatePage>
  )
}
