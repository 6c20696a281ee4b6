import { Link } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { useCurrentUser } from "../../lib/session.ts"

/** Says that a cost lacks requests without a price; administrators can set prices. */
export const UnpricedNote = ({ count }: { count: number }) => {
  const { role } = useCurrentUser()
  if (count === 0) return null
  return (
    <p className="-mt-2 text-sm text-muted">
      {t("usage.unpriced", { count })}
      {role === "admin" && (
        <>
          {" "}
          <Link
            to="/admin/prices"
            search={{ view: "unpriced" }}
            className="font-medium text-accent hover:underline"
          >
            {t("usage.setPrices")}
          </Link>
        </>
      )}
    </p>
  )
}
