import { Page } from "../../ui/page.tsx"

export const PendingPage = () => <Page title="PendingPage">…</Page>
