import type { MapiProperties } from "./mapi-properties.ts"

/** Property IDs of people and times in messages ([MS-OXPROPS]). */
const ids = {
  sentRepresentingName: 0x0042,
  sentRepresentingSmtpAddress: 0x5d02,
  sentRepresentingAddress: 0x0065,
  senderName: 0x0c1a,
  senderSmtpAddress: 0x5d01,
  senderAddress: 0x0c1f,
  displayTo: 0x0e04,
  displayCc: 0x0e03,
  submitTime: 0x0039,
  deliveryTime: 0x0e06,
  creationTime: 0x3007,
  recipientType: 0x0c15,
  displayName: 0x3001,
  emailAddress: 0x3003,
  smtpAddress: 0x39fe,
}

type Field = readonly [name: string, value: string]

/** Without the addresses within an organization (X.500), which say nothing to a reader. */
const formatPerson = (name: string, address: string): string => {
  const email = address.includes("@") ? address : ""
  if (!name || name === email) return email || name
  return email && !name.includes(email) ? `${name} <${email}>` : name
}

const recipientTypes = { to: 1, cc: 2 }

const formatRecipients = (recipients: readonly MapiProperties[], type: number): string =>
  recipients
    .filter((recipient) => ((recipient.integer(ids.recipientType) ?? 0) & 0xf) === type)
    .map((recipient) =>
      formatPerson(
        recipient.string(ids.displayName),
        recipient.firstString(ids.smtpAddress, ids.emailAddress),
      ),
    )
    .join(", ")

/** When a message was sent or received, or else created; ISO 8601, or empty. */
export const messageTime = (item: MapiProperties): string =>
  item.time(ids.submitTime) || item.time(ids.deliveryTime) || item.time(ids.creationTime)

export const messageFields = (
  item: MapiProperties,
  recipients: readonly MapiProperties[],
): Field[] => [
  [
    "From",
    formatPerson(
      item.firstString(ids.sentRepresentingName, ids.senderName),
      item.firstString(
        ids.sentRepresentingSmtpAddress,
        ids.senderSmtpAddress,
        ids.sentRepresentingAddress,
        ids.senderAddress,
      ),
    ),
  ],
  ["To", formatRecipients(recipients, recipientTypes.to) || item.string(ids.displayTo)],
  ["Cc", formatRecipients(recipients, recipientTypes.cc) || item.string(ids.displayCc)],
  ["Date", messageTime(item)],
]

/** Properties of appointments, tasks and contacts: those with a long ID are named ones. */
const itemFields: readonly {
  name: string
  kind: "string" | "time"
  id?: number
  longId?: number
}[] = [
  { name: "Start", kind: "time", longId: 0x820d },
  { name: "End", kind: "time", longId: 0x820e },
  { name: "Location", kind: "string", longId: 0x8208 },
  { name: "Recurrence", kind: "string", longId: 0x8232 },
  { name: "Start", kind: "time", longId: 0x8104 },
  { name: "Due", kind: "time", longId: 0x8105 },
  { name: "Owner", kind: "string", longId: 0x811f },
]

const contactFields: typeof itemFields = [
  { name: "Name", kind: "string", id: 0x3001 },
  { name: "Job title", kind: "string", id: 0x3a17 },
  { name: "Department", kind: "string", id: 0x3a18 },
  { name: "Company", kind: "string", id: 0x3a16 },
  { name: "E-mail", kind: "string", longId: 0x8083 },
  { name: "E-mail 2", kind: "string", longId: 0x8093 },
  { name: "E-mail 3", kind: "string", longId: 0x80a3 },
  { name: "Business phone", kind: "string", id: 0x3a08 },
  { name: "Mobile phone", kind: "string", id: 0x3a1c },
  { name: "Home phone", kind: "string", id: 0x3a09 },
  { name: "Fax", kind: "string", id: 0x3a24 },
  { name: "Business address", kind: "string", longId: 0x801b },
  { name: "Home address", kind: "string", longId: 0x801a },
  { name: "Web page", kind: "string", longId: 0x802b },
]

/** @param idByLongId the named properties of the file */
export const otherFields = (
  item: MapiProperties,
  messageClass: string,
  idByLongId: ReadonlyMap<number, number>,
): Field[] => {
  const fields = /^ipm\.(contact|distlist)/i.test(messageClass) ? contactFields : itemFields
  return fields.map(({ name, kind, id, longId = 0 }) => {
    const property = id ?? idByLongId.get(longId)
    if (property === undefined) return [name, ""]
    return [name, kind === "time" ? item.time(property) : item.string(property)]
  })
}
