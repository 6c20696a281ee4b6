import { Page } from "../../ui/page.tsx"

export const ConnectionsPage = () => <Page title="ConnectionsPage">…</Page>
