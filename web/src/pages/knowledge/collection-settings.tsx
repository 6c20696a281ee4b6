import { Eraser } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import {
  type CollectionWithFiles,
  collectionApi,
  collectionQuery,
} from "../../lib/knowledge-api.ts"
import { invalidateQueries, queryClient } from "../../lib/query-client.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { Form } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { TransferSection } from "../ownership/transfer-section.tsx"
import { useCollection } from "./collection.tsx"
import { CollectionFields, type CollectionValues } from "./collection-fields.tsx"

const valuesOf = (collection: CollectionWithFiles): CollectionValues => {
  const { name, description, search, query_rewriting, access_grants } = collection
  return { name, description, search, query_rewriting, access_grants }
}

interface EditProps {
  collection: CollectionWithFiles
  /** Only the owner and administrators may change access. */
  owned: boolean
}

const Edit = ({ collection, owned }: EditProps) => {
  const form = useEditForm({
    object: collection,
    valuesOf,
    save: ({ access_grants, ...fields }) =>
      collectionApi.update(collection.id, owned ? { ...fields, access_grants } : fields),
    invalidates: [["collections", "list"]],
    onSaved: (saved) => queryClient.setQueryData(collectionQuery(collection.id).queryKey, saved),
  })
  return (
    <Form form={form}>
      <CollectionFields form={form} shareable={owned} />
    </Form>
  )
}

const Reset = ({ collection: { id, file_counts } }: { collection: CollectionWithFiles }) => {
  const reset = async (): Promise<void> => {
    await collectionApi.reset(id)
    await invalidateQueries([["collections"]])
  }
  return (
    <Section title={t("knowledge.reset")} lead={t("knowledge.resetLead")}>
      <div>
        <ConfirmTrigger
          trigger={
            <Button icon={Eraser} disabled={file_counts.total === 0}>
              {t("knowledge.reset")}
            </Button>
          }
          title={t("knowledge.resetOne", { count: file_counts.total })}
          action={t("knowledge.reset")}
          danger
          onConfirm={reset}
        >
          {t("knowledge.resetLead")}
        </ConfirmTrigger>
      </div>
    </Section>
  )
}

const Transfer = ({ collection: { id, name, user_id } }: { collection: CollectionWithFiles }) => (
  <TransferSection
    target={{
      name,
      user_id,
      transfer: (to) => collectionApi.transfer(id, to),
      note: t("transfer.collectionNote"),
    }}
    backTo="/knowledge"
    invalidates={[["collections"]]}
  />
)

const Removal = ({ collection: { id, name } }: { collection: CollectionWithFiles }) => (
  <DeleteSection
    action={t("knowledge.delete")}
    title={t("action.deleteOne", { name })}
    lead={t("knowledge.deleteLead")}
    typed={name}
    onRemove={(confirm) => collectionApi.remove(id, confirm)}
    backTo="/knowledge"
    invalidates={[["collections", "list"]]}
  />
)

/** `/knowledge/$collectionId/settings` */
export const CollectionSettingsPage = () => {
  const { query, writable, owned } = useCollection()
  const collection = query.data
  if (!collection || !writable) return null
  return (
    <div className="flex max-w-[42rem] flex-col gap-8">
      <Edit key={collection.id} collection={collection} owned={owned} />
      <Reset collection={collection} />
      {owned && <Transfer collection={collection} />}
      {owned && <Removal collection={collection} />}
    </div>
  )
}
