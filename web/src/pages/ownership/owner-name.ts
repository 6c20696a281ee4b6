import { t } from "../../i18n/translate.ts"

interface Owned {
  user_name: string | null
}

/** The name of an object's owner. */
export const ownerName = ({ user_name }: Owned): string => user_name ?? t("owner.deleted")
