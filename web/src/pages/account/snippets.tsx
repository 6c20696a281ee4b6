import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { Combobox } from "../../ui/combobox.tsx"
import { Field } from "../../ui/field.tsx"
import { Snippet } from "../../ui/snippet.tsx"

interface SnippetContext {
  /** This server's origin. */
  origin: string
  model: string
  secret: string
}

const json = (value: string): string => JSON.stringify(value)
const shell = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`

const curl = ({ origin, model, secret }: SnippetContext): string => {
  const body = `{"model": ${json(model)}, "messages": [{"role": "user", "content": "Hello"}]}`
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d ${shell(body)}`
}

const keyExpression = (secret: string, fromEnvironment: string): string =>
  secret.startsWith("$") ? fromEnvironment : json(secret)

const python = ({ origin, model, secret }: SnippetContext): string => `${
  secret.startsWith("$") ? "import os\n" : ""
}from openai import OpenAI

client = OpenAI(
    base_url=${json(`${origin}/v1`)},
    api_key=${keyExpression(secret, 'os.environ["PORTICO_API_KEY"]')},
)
answer = client.chat.completions.create(
    model=${json(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`

const typescript = ({
  origin,
  model,
  secret,
}: SnippetContext): string => `import OpenAI from "openai"

const client = new OpenAI({
  baseURL: ${json(`${origin}/v1`)},
  apiKey: ${keyExpression(secret, "process.env.PORTICO_API_KEY")},
})
const answer = await client.chat.completions.create({
  model: ${json(model)},
  messages: [{ role: "user", content: "Hello" }],
})
console.log(answer.choices[0].message.content)`

/** Code samples for calling this server, ready to paste. */
const snippetsFor = (call: SnippetContext) => [
  { name: "curl", code: curl(call) },
  { name: "Python", code: python(call) },
  { name: "TypeScript", code: typescript(call) },
]

interface KeySnippetsProps {
  secret: string
  /** Fixes the model; otherwise it can be chosen. */
  model?: string
}

export const KeySnippets = ({ secret, model: fixed }: KeySnippetsProps) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const [chosen, setChosen] = useState<string | null>(null)
  const usable = models.filter(({ capabilities }) => !capabilities.embedding)
  const model = fixed ?? chosen ?? usable[0]?.id ?? "model-id"
  return (
    <div className="flex flex-col gap-3">
      {fixed === undefined && usable.length > 0 && (
        <Field label={t("keys.snippetModel")} className="wide:max-w-80">
          {(controlProps) => (
            <Combobox
              {...controlProps}
              choices={usable.map(({ id, name }) => ({
                value: id,
                label: name,
                ...(name !== id && { note: id }),
              }))}
              value={model}
              onValue={setChosen}
            />
          )}
        </Field>
      )}
      <Snippet tabs={snippetsFor({ origin: window.location.origin, model, secret })} />
    </div>
  )
}
