import type { ChatRequest, Context, Message, Setting } from "portico"

export const name = "Panel"
export const description = "Asks several models and combines their answers into one"

export const settings: Record<string, Setting> = {
  members: {
    type: "text",
    multiline: true,
    label: "Members",
    description: "Ids of the models to ask, one per line.",
    required: true,
  },
  writer: {
    type: "text",
    label: "Writer",
    description: "The model that combines their answers.",
    required: true,
  },
  show: {
    type: "boolean",
    label: "Show the members' answers",
    description: "Shown as reasoning before the answer.",
    default: true,
  },
  instructions: {
    type: "text",
    multiline: true,
    label: "Instructions for the writer",
    default:
      "Below are answers of several assistants to the last message. Write the best answer to it yourself: keep what is right, leave out what is wrong, settle where they disagree. Do not mention the assistants.",
  },
}

interface MemberAnswer {
  model: string
  text: string
}

const textOf = (message: Message | undefined): string => {
  const content = message?.content ?? ""
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n")
}

/** One member's answer; null if it fails, because the others are enough. */
const askMember = async (
  model: string,
  { messages, temperature }: ChatRequest,
  context: Context,
): Promise<MemberAnswer | null> => {
  try {
    const request = { model, messages, ...(temperature !== undefined && { temperature }) }
    const { choices } = await context.chat(request)
    const text = textOf(choices[0]?.message)
    context.log(model, "said", text.length, "characters")
    return text === "" ? null : { model, text }
  } catch (error) {
    context.log.warn(model, "did not answer:", String(error))
    return null
  }
}

export async function* reply(request: ChatRequest, context: Context) {
  const { members, writer, show, instructions } = context.settings
  const models = [
    ...new Set(
      String(members)
        .split(/[\n,]+/)
        .map((line) => line.trim()),
    ),
  ].filter(Boolean)
  const answers = await Promise.all(models.map((model) => askMember(model, request, context)))
  const successful = answers.filter((answer) => answer !== null)
  if (successful.length === 0) throw new Error("None of the panel's members answered")
  if (show) {
    for (const { model, text } of successful)
      yield { reasoning_content: `**${model}**\n\n${text}\n\n` }
  }
  const notes = successful.map(({ text }, index) => `Answer ${index + 1}:\n${text}`).join("\n\n")
  const system: Message = { role: "system", content: `${instructions}\n\n${notes}` }
  const { messages, temperature } = request
  yield* context.chat({
    model: String(writer),
    messages: [system, ...messages],
    stream: true,
    ...(temperature !== undefined && { temperature }),
  })
}
