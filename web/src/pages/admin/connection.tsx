import { Page } from "../../ui/page.tsx"

export const ConnectionPage = () => <Page title="ConnectionPage">…</Page>
