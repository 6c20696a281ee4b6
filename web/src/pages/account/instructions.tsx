import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { instructionsApi, instructionsQuery } from "../../lib/prompts-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { Field, TextArea } from "../../ui/field.tsx"
import { Form, fieldError } from "../../ui/form.tsx"
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
  const { values, set, error } = form
  return (
    <Form form={form}>
      <Field
        label={t("label.instructions")}
        help={t("instructions.help")}
        error={fieldError(error, "instructions")}
      >
        {(controlProps) => (
          <TextArea
            {...controlProps}
            value={values.instructions}
            placeholder={t("instructions.placeholder")}
            onChange={({ target }) => set({ instructions: target.value })}
            className="max-h-[60vh] min-h-40"
          />
        )}
      </Field>
    </Form>
  )
}
