import { Page } from "../../ui/page.tsx"

export const NewConnectionPage = () => <Page title="NewConnectionPage">…</Page>
