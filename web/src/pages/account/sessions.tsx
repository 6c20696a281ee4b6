import { Page } from "../../ui/page.tsx"

export const SessionsPage = () => <Page title="SessionsPage">…</Page>
