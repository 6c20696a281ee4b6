import { useMutation, useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { instructionsApi, instructionsQuery } from "../../lib/prompts-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { Field, TextArea } from "../../ui/field.tsx"
import { Form, fieldError, useDraft } from "../../ui/form.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"

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
  const { values, set, markSaved, dirty } = useDraft({ instructions: saved })
  const save = useMutation({
    mutationFn: () => instructionsApi.update(values),
    onSuccess: (result) => {
      markSaved(result)
      queryClient.setQueryData(instructionsQuery.queryKey, result)
    },
  })
  return (
    <Form
      dirty={dirty}
      saving={save.isPending}
      saved={save.isSuccess}
      error={save.error}
      fields={["instructions"]}
      onSave={save.mutate}
    >
      <Field
        label={t("instructions.text")}
        help={t("instructions.help")}
        error={fieldError(save.error, "instructions")}
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
