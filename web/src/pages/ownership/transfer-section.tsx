import { UserRoundPen } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { Button } from "../../ui/button.tsx"
import { Section } from "../../ui/page.tsx"
import { TransferDialog, type TransferProps } from "./transfer-dialog.tsx"

/** A section of an object's page: who owns it, and a button that hands it over. */
export const TransferSection = (props: TransferProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={t("action.handOver")} lead={t("transfer.sectionLead")}>
      <div>
        <Button icon={UserRoundPen} onClick={() => setOpen(true)}>
          {t("action.handOver")}
        </Button>
      </div>
      <TransferDialog {...props} open={isOpen} onClose={() => setOpen(false)} />
    </Section>
  )
}
