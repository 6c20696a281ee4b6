import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { Field, TextArea, TextField } from "../../ui/field.tsx"
import { Form, fieldError, useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"

interface GroupValues {
  name: string
  description: string
}

interface GroupFieldsProps {
  values: GroupValues
  set: (changes: Partial<GroupValues>) => void
  error: unknown
  /** The identity provider manages the name. */
  provisioned?: boolean
}

export const GroupFields = ({ values, set, error, provisioned = false }: GroupFieldsProps) => (
  <>
    <TextField
      label={t("groups.name")}
      help={provisioned && t("provisioning.kept")}
      disabled={provisioned}
      value={values.name}
      onValue={(name) => set({ name })}
      error={fieldError(error, "name")}
      autoComplete="off"
    />
    <Field label={t("groups.description")} error={fieldError(error, "description")}>
      {(controlProps) => (
        <TextArea
          {...controlProps}
          value={values.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      )}
    </Field>
  </>
)

export const NewGroupPage = () => {
  const router = useRouter()
  const client = useQueryClient()
  const { values, set, dirty } = useDraft<GroupValues>({ name: "", description: "" })
  const create = useMutation({
    mutationFn: () => api.post("/api/v1/groups/create", { body: values }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["groups"] })
      await router.navigate({
        to: "/admin/groups/$groupId",
        params: { groupId: id },
        ignoreBlocker: true,
      })
    },
  })
  return (
    <Page
      title={t("groups.create")}
      lead={t("groups.lead")}
      breadcrumb={<BackLink to="/admin/groups">{t("groups.title")}</BackLink>}
      narrow
    >
      <Form
        dirty={dirty}
        always
        saving={create.isPending}
        saved={create.isSuccess}
        error={create.error}
        fields={["name", "description"]}
        onSave={create.mutate}
        action={t("groups.create")}
      >
        <GroupFields values={values} set={set} error={create.error} />
      </Form>
    </Page>
  )
}
