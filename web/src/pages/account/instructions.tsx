import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { instructionsApi, instructionsQuery } from "../../lib/prompt-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { TextAreaField } from "../../ui/field.tsx"
import { bindField, Form } from "../../ui/form.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { useEditForm } from "../../ui/use-form.ts"

/** `/account/instructions` */
export const InstructionsPage = () => {
  const saved = useQuery(instructionsQuery)
  return (
    <Page title={t("instructions.title")} lead={t("instructions.lead")} narrow>
      <QueryResult query={saved} rows={5}>
        {({ instructions }) => <Instructions saved={instructions} />}
      </QueryResult>
    </Page>
  )
}

const Instructions = ({ saved }: { saved: string }) => {
  const form = useEditForm({
    object: { instructions: saved },
    valuesOf: ({ instructions }) => ({ instructions }),
    save: instructionsApi.update,
    onSaved: (result) => queryClient.setQueryData(instructionsQuery.queryKey, result),
  })
  return (
    <Form form={form}>
      <TextAreaField
        label={t("label.instructions")}
        help={t("instructions.help")}
        {...bindField(form, "instructions")}
        placeholder={t("instructions.placeholder")}
        inputClass="max-h-[60vh] min-h-40"
      />
    </Form>
  )
}
