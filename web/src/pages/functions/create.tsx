import { useId } from "react"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { deriveFunctionId } from "../../lib/derive-id.ts"
import { classes } from "../../ui/classes.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { NameAndIdFields, useDerivedId } from "../../ui/name-and-id-fields.tsx"
import { BackLink } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { type Example, listExamples } from "./examples.ts"

const emptyValues = { example: "empty", name: "", id: "", description: "" }

export const NewFunctionPage = () => {
  const derivedId = useDerivedId(deriveFunctionId)
  const all = listExamples()
  const form = useCreateForm({
    initial: emptyValues,
    create: ({ example, name, id, description }) => {
      const content = all.find((one) => one.id === example)?.content ?? ""
      const meta = { description, tags: [] }
      // Disabled at first, so that unreviewed code does not answer anyone.
      const body = { id: id || deriveFunctionId(name), name, content, meta, is_active: false }
      return api.post("/api/v1/functions/create", { body })
    },
    invalidates: [["functions"]],
    onCreated: ({ id }, router) =>
      router.navigate({
        to: "/functions/$functionId",
        params: { functionId: id },
        ignoreBlocker: true,
      }),
  })
  const { values, set, error } = form
  const choose = ({ id, name, description }: Example): void => {
    const initial = id === "empty" ? emptyValues : { name, description }
    set({
      example: id,
      description: initial.description,
      ...derivedId.withName(initial.name),
    })
  }
  return (
    <CreatePage
      title={t("functions.create")}
      lead={t("functions.createLead")}
      breadcrumb={<BackLink to="/functions">{t("label.functions")}</BackLink>}
      form={form}
      fields={["id", "name", "meta"]}
    >
      <Gallery examples={all} chosen={values.example} onChoose={choose} />
      <NameAndIdFields
        idHelp={t("functions.idHelp")}
        values={values}
        set={set}
        derivedId={derivedId}
        error={error}
      />
      <TextField
        label={t("label.description")}
        value={values.description}
        onValue={(description) => set({ description })}
        error={fieldError(error, "meta.description")}
        autoComplete="off"
      />
    </CreatePage>
  )
}

interface GalleryProps {
  examples: readonly Example[]
  chosen: string
  onChoose: (example: Example) => void
}

const Gallery = ({ examples: all, chosen, onChoose }: GalleryProps) => {
  const group = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-sm font-medium">{t("functions.begin")}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {all.map((example) => (
          <label
            key={example.id}
            htmlFor={`${group}-${example.id}`}
            className={classes(
              "flex cursor-pointer gap-2.5 rounded border p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent",
              example.id === chosen ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
            )}
          >
            <input
              id={`${group}-${example.id}`}
              type="radio"
              name={group}
              checked={example.id === chosen}
              onChange={() => onChoose(example)}
              aria-label={example.name}
              aria-describedby={`${group}-${example.id}-help`}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="block text-sm font-medium">{example.name}</span>
              <span id={`${group}-${example.id}-help`} className="block text-xs text-muted">
                {example.description}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
