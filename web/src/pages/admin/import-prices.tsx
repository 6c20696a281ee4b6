import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { FileUp } from "lucide-react"
import { useRef } from "react"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { Button } from "../../ui/button.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { ImportErrors } from "./import-errors.tsx"
import { ImportPreview } from "./import-preview.tsx"
import { parsePriceFile } from "./price-file.ts"

/** Imports prices from a file, after showing what that changes. */
export const ImportPricesPage = () => {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const preview = useMutation({
    mutationFn: async (file: File) => {
      const body = parsePriceFile({ name: file.name, text: await file.text() })
      const query = { preview: true }
      const result = await api.post("/api/v1/prices/import", { query, body })
      return { name: file.name, body, result }
    },
  })
  const read = preview.data
  const apply = useMutation({
    mutationFn: async () => {
      if (read) await api.post("/api/v1/prices/import", { body: read.body })
    },
    onSuccess: async () => {
      await invalidateQueries([["prices"], ["models"]])
      await navigate({ to: "/admin/prices", search: { view: "custom" } })
    },
  })
  const error = apply.error ?? preview.error
  return (
    <Page
      title={t("prices.import")}
      lead={t("prices.importLead")}
      breadcrumb={<BackLink to="/admin/prices">{t("label.prices")}</BackLink>}
    >
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={FileUp}
          variant={read ? "secondary" : "primary"}
          busy={preview.isPending}
          onClick={() => input.current?.click()}
        >
          {t(read ? "prices.chooseOther" : "prices.chooseFile")}
        </Button>
        {read && <span className="min-w-0 text-sm break-all text-muted">{read.name}</span>}
      </div>
      <input
        ref={input}
        type="file"
        accept=".json,.csv,application/json,text/csv"
        aria-label={t("prices.chooseFile")}
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ""
          apply.reset()
          if (file) preview.mutate(file)
        }}
      />
      {error && <ImportErrors error={error} />}
      {read && (
        <ImportPreview
          result={read.result}
          onApply={() => apply.mutate()}
          isApplying={apply.isPending}
        />
      )}
    </Page>
  )
}
