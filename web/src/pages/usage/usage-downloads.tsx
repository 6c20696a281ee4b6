import { useMutation } from "@tanstack/react-query"
import { Download } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import type { QueryFor } from "../../lib/api-types.ts"
import { downloadCsv } from "../../lib/csv.ts"
import { Button, DownloadLink } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { Select } from "../../ui/select.tsx"
import { formatMonth } from "./format-interval.ts"
import { usageCsvRows } from "./usage-csv.ts"
import { lastMonths } from "./usage-range.ts"

interface DownloadUsageProps {
  /** What the totals are of. */
  by: string
  query: QueryFor<"/api/v1/usage">
  disabled: boolean
}

/** Downloads the totals of all models, users and so on, also of those that the page adds up. */
export const DownloadUsage = ({ by, query, disabled }: DownloadUsageProps) => {
  const download = useMutation({
    mutationFn: () => api.get("/api/v1/usage", { query }),
    onSuccess: (report) => downloadCsv(`usage-by-${by}.csv`, usageCsvRows(by, report)),
  })
  return (
    <div className="flex flex-col items-end gap-1">
      <Button
        icon={Download}
        busy={download.isPending}
        disabled={disabled}
        onClick={() => download.mutate()}
      >
        {t("usage.csv")}
      </Button>
      {download.error && (
        <p role="alert" className="text-xs text-danger">
          {errorText(download.error)}
        </p>
      )}
    </div>
  )
}

const listedMonths = 24

/** The file for accounting of a month. */
export const AccountingExport = () => {
  const months = lastMonths(listedMonths)
  const [month, setMonth] = useState(months[1] ?? "")
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label={t("usage.month")}
        value={month}
        onValue={setMonth}
        options={months.map((value) => ({ value, label: formatMonth(value) }))}
        className="w-auto!"
      />
      <DownloadLink href={`/api/v1/usage/export?month=${month}`}>
        {t("usage.accountingCsv")}
      </DownloadLink>
    </div>
  )
}
