import { useMutation, useQuery } from "@tanstack/react-query"
import { MonitorSmartphone } from "lucide-react"
import type { Session } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { toOnePage } from "../../lib/list-result.ts"
import { sessionsQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { describeDevice } from "./describe-device.ts"

export const SessionsPage = () => {
  const sessions = useQuery(sessionsQuery)
  return (
    <ListPage
      title={t("label.sessions")}
      lead={t("sessions.lead")}
      result={toOnePage(sessions)}
      icon={MonitorSmartphone}
      columns={[
        {
          id: "device",
          header: t("sessions.device"),
          grow: true,
          cell: (session) => (
            <NameCell detail={session.address}>
              <span title={session.user_agent ?? undefined}>
                {describeDevice(session.user_agent) ?? t("sessions.unknown")}
              </span>{" "}
              {session.current && <Badge tone="accent">{t("sessions.current")}</Badge>}
            </NameCell>
          ),
        },
        {
          id: "begun",
          header: t("sessions.begun"),
          wideOnly: true,
          cell: ({ created_at }) => <Time at={created_at} />,
        },
        {
          id: "used",
          header: t("label.lastUsed"),
          belowName: "labeled",
          cell: ({ last_used_at, created_at }) => <Time at={last_used_at ?? created_at} />,
        },
        {
          id: "ends",
          header: t("label.expires"),
          belowName: "labeled",
          cell: ({ expires_at }) => <Time at={expires_at} />,
        },
        {
          id: "end",
          header: "",
          align: "right",
          cell: (session) => !session.current && <EndSession session={session} />,
        },
      ]}
    />
  )
}

const EndSession = ({ session }: { session: Session }) => {
  const end = useMutation({
    mutationFn: () => api.delete("/api/v1/auths/sessions/:id", { params: { id: session.id } }),
    onSuccess: () => invalidateQueries([sessionsQuery.queryKey]),
  })
  return (
    <>
      <Button onClick={() => end.mutate()}>{t("sessions.end")}</Button>
      {end.error && <p className="mt-1 text-xs text-danger">{errorText(end.error)}</p>}
    </>
  )
}
