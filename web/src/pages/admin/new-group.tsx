import { Page } from "../../ui/page.tsx"

export const NewGroupPage = () => <Page title="NewGroupPage">…</Page>
