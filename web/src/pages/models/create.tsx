import { Page } from "../../ui/page.tsx"

export const NewModelPage = () => <Page title="NewModelPage">…</Page>
