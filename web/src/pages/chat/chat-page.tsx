import { MessageSquare } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Page } from "../../ui/page.tsx"

/** `/`: a chat that is not begun yet. */
export const NewChatPage = () => (
  <Page title={t("chat.new")} narrow>
    <EmptyState icon={MessageSquare} title={t("chat.new")} />
  </Page>
)

/** `/c/$chatId` */
export const ChatPage = NewChatPage

/** `/s/$shareId`: somebody else's chat, to read. */
export const SharedChatPage = NewChatPage
