import { Outlet } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { TabbedArea } from "../../ui/page.tsx"

export const AccountLayout = () => (
  <TabbedArea
    tabs={
      <LinkTabs
        label={t("account.title")}
        tabs={[
          { to: "/account", label: t("account.profile"), exact: true },
          { to: "/account/instructions", label: t("instructions.tab") },
          { to: "/account/keys", label: t("keys.title") },
          { to: "/account/programs", label: t("programs.title") },
          { to: "/account/usage", label: t("usage.title") },
          { to: "/account/sessions", label: t("sessions.title") },
        ]}
      />
    }
  >
    <Outlet />
  </TabbedArea>
)
