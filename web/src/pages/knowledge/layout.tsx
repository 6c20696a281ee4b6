import { Outlet } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { TabbedArea } from "../../ui/page.tsx"

export const KnowledgeLayout = () => (
  <TabbedArea
    tabs={
      <LinkTabs
        label={t("label.knowledge")}
        tabs={[
          { to: "/knowledge", label: t("label.collections"), exact: true },
          { to: "/knowledge/files", label: t("label.files") },
        ]}
      />
    }
  >
    <Outlet />
  </TabbedArea>
)
