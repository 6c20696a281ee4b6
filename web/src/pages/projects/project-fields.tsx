import type { NewProject } from "../../../../server/src/conversations/projects/schema.ts"
import { t } from "../../i18n/translate.ts"
import { ComboboxField } from "../../ui/combobox.tsx"
import { TextAreaField, TextField } from "../../ui/field.tsx"
import { bindField, fieldError } from "../../ui/form.tsx"
import type { FormState } from "../../ui/use-form.ts"
import type { Attachment } from "../chat/attachments.ts"
import { useChatModels } from "../chat/chat-models.ts"
import { ProjectFiles } from "./project-files.tsx"

export interface ProjectValues extends Omit<NewProject, "files"> {
  files: Attachment[]
}

interface ProjectFieldsProps {
  form: FormState<ProjectValues>
  destination: string
}

export const ProjectFields = ({ form, destination }: ProjectFieldsProps) => {
  const { values, set, error } = form
  const { models } = useChatModels()
  const { model, files } = values
  const known = models.map(({ id, name: label }) => ({ value: id, label }))
  const isListed = model === null || known.some(({ value }) => value === model)
  const choices = [
    { value: "", label: t("projects.noModel") },
    ...known,
    ...(isListed ? [] : [{ value: model, label: model }]),
  ]
  return (
    <>
      <TextField label={t("label.name")} {...bindField(form, "name")} maxLength={100} required />
      <TextAreaField
        label={t("label.instructions")}
        help={t("projects.instructionsHelp")}
        {...bindField(form, "instructions")}
        maxLength={20_000}
        rows={5}
      />
      <ComboboxField
        label={t("projects.model")}
        error={fieldError(error, "model")}
        choices={choices}
        value={model ?? ""}
        onValue={(next) => set({ model: next || null })}
      />
      <ProjectFiles
        destination={destination}
        files={files}
        onAdd={(file) => set((before) => ({ files: [...before.files, file] }))}
        onRemove={(file) =>
          set((before) => ({
            files: before.files.filter(({ type, id }) => type !== file.type || id !== file.id),
          }))
        }
        error={fieldError(error, "files")}
      />
    </>
  )
}
