export const invitations = {
  "invitations.lead":
    "Links with which people create their own accounts, even while sign-up is turned off.",
  "invitations.create": "Create invitation",
  "invitations.createLead": "You get a link to send to one person. It works once.",
  "invitations.none": "No invitations yet",
  "invitations.noneHelp": "Create an invitation and send its link to a new user.",
  "invitations.recipient": "For",
  "invitations.anyone": "Anyone with the link",
  "invitations.oneRecipient": "one person",
  "invitations.by": "Created by {name}",
  "invitations.days": { one: "After {count} day", other: "After {count} days" },
  "invitations.emailHelp":
    "Only this address can use the link. Leave blank to let the person enter one.",
  "invitations.addGroup": "Add a group",
  "invitations.created": "The invitation is ready",
  "invitations.createdLead":
    "Send this link to {recipient}. It is shown only now, works once, and expires on {date}.",
  "invitations.revoke": "Revoke invitation",
  "invitations.revokeOne": "Revoke the invitation for {name}",
  "invitations.revokeHelp": "The link stops working immediately.",
  "invitations.state.open": "Open",
  "invitations.state.accepted": "Used",
  "invitations.state.revoked": "Revoked",
  "invitations.state.expired": "Expired",
  "invitations.state.void": "Not valid",
}
