import { ArrowLeftRight, Download, Upload } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { useGoToPage } from "../../lib/use-go-to-page.ts"
import { Button } from "../../ui/button.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"

const formats = ["csv", "json", "litellm"] as const

/** The gateway names the file and sends it as a download, so the page stays. */
const downloadPrices = (format: (typeof formats)[number]): void =>
  window.location.assign(`/api/v1/prices/export?format=${format}`)

export const PriceTransferMenu = () => {
  const goToPage = useGoToPage()
  return (
    <Menu trigger={<Button icon={ArrowLeftRight}>{t("list.transfer")}</Button>}>
      <MenuItem icon={Upload} onClick={() => goToPage("/admin/prices/import")}>
        {t("list.import")}
      </MenuItem>
      {formats.map((format) => (
        <MenuItem key={format} icon={Download} onClick={() => downloadPrices(format)}>
          {t(`prices.export.${format}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
