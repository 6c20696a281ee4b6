import { Page } from "../../ui/page.tsx"

export const ModelsPage = () => <Page title="ModelsPage">…</Page>
