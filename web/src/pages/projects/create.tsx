import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { projectApi } from "../../lib/project-api.ts"
import { Form } from "../../ui/form.tsx"
import { Page } from "../../ui/page.tsx"
import { ProjectFields, type ProjectValues, projectPaths } from "./project-fields.tsx"

const empty: ProjectValues = { name: "", instructions: "", model: null, files: [] }

/** `/projects/new` */
export const NewProjectPage = () => {
  const [values, setValues] = useState(empty)
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: () => projectApi.create(values),
    onSuccess: ({ id }) =>
      navigate({ to: "/projects/$projectId", params: { projectId: id }, ignoreBlocker: true }),
  })
  return (
    <Page narrow title={t("projects.create")} lead={t("projects.lead")}>
      <Form
        always
        dirty={JSON.stringify(values) !== JSON.stringify(empty)}
        saving={create.isPending}
        saved={create.isSuccess}
        error={create.error}
        fields={projectPaths}
        action={t("projects.create")}
        onSave={create.mutate}
      >
        <ProjectFields
          values={values}
          set={setValues}
          error={create.error}
          destination="projects.new"
        />
      </Form>
    </Page>
  )
}
