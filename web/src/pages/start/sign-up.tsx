import { Page } from "../../ui/page.tsx"

export const SignUpPage = () => <Page title="SignUpPage">…</Page>
