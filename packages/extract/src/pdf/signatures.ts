import type { PdfDocument } from "./open-pdf.ts"

/** What pdf.js tells about a signature. */
interface Signature {
  /** Begins with the ID of its field's widget. */
  id: string
  signerName: string | null
  reason: string | null
  location: string | null
  signingTime: string | null
}

/** `D:20230615120550+02'00'` as `2023-06-15 12:05:50 +02:00` (ISO 32000-2, 7.9.4). */
const formatPdfDate = (date: string): string => {
  const parts =
    /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-]\d\d)'?(\d\d)?|(Z))?/.exec(date)
  if (!parts) return ""
  const [, year, month, day, hour, minute, second, zoneHour, zoneMinute, utc] = parts
  const time = [hour, minute, second].filter(Boolean).join(":")
  const zone = zoneHour ? `${zoneHour}:${zoneMinute ?? "00"}` : utc && "UTC"
  const date_ = [year, month, day].filter(Boolean).join("-")
  return [date_, time.includes(":") ? time : "", zone].filter(Boolean).join(" ")
}

/** Who signed a field, when and why. @returns by the ID of the field's widget */
export const readSignatures = async (pdf: PdfDocument): Promise<ReadonlyMap<string, string>> => {
  const signatures = ((await pdf.getSignatures()) ?? []) as Signature[]
  return new Map(
    signatures.map(({ id, signerName, signingTime, reason, location }) => {
      const by = signerName ? ` by ${signerName}` : ""
      const on = signingTime ? ` on ${formatPdfDate(signingTime)}` : ""
      const details = [reason, location].filter(Boolean).join(", ")
      return [id.slice(0, id.indexOf(":")), `Signed${by}${on}${details && ` (${details})`}`]
    }),
  )
}
