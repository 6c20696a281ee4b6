import { Outlet } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { TabbedArea } from "../../ui/page.tsx"

export const AccountLayout = () => (
  <TabbedArea
    tabs={
      <LinkTabs
        label={t("label.account")}
        tabs={[
          { to: "/account", label: t("account.profile"), exact: true },
          { to: "/account/instructions", label: t("label.instructions") },
          { to: "/account/keys", label: t("label.apiKeys") },
          { to: "/account/programs", label: t("programs.title") },
          { to: "/account/usage", label: t("usage.title") },
          { to: "/account/sessions", label: t("label.sessions") },
        ]}
      />
    }
  >
    <Outlet />
  </TabbedArea>
)
