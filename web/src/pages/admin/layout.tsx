import { Outlet } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { TabbedArea } from "../../ui/page.tsx"

export const AdminLayout = () => (
  <TabbedArea
    tabs={
      <LinkTabs
        label={t("admin.title")}
        tabs={[
          { to: "/admin/users", label: t("users.title") },
          { to: "/admin/groups", label: t("groups.title") },
          { to: "/admin/connections", label: t("connections.title") },
          { to: "/admin/provisioning", label: t("provisioning.title") },
          { to: "/admin/sign-on", label: t("signOn.title") },
          { to: "/admin/usage", label: t("usage.title") },
          { to: "/admin/audit", label: t("audit.title") },
          { to: "/admin/settings", label: t("settings.title") },
        ]}
      />
    }
  >
    <Outlet />
  </TabbedArea>
)
