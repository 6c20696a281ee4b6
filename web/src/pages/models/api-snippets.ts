import { quotePosix, quoteString } from "../../lib/quoting.ts"

export interface SnippetContext {
  /** This server's origin. */
  origin: string
  model: string
  /** A key, or the environment variable that contains it: `$PORTICO_API_KEY`. */
  secret: string
}

/** The body of a first request. */
export const createSampleBody = (model: string): string =>
  `{"model": ${quoteString(model)}, "messages": [{"role": "user", "content": "Hello"}]}`

const curl = ({ origin, model, secret }: SnippetContext): string =>
  `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d ${quotePosix(createSampleBody(model))}`

const keyExpression = (secret: string, fromEnvironment: string): string =>
  secret.startsWith("$") ? fromEnvironment : quoteString(secret)

const python = ({ origin, model, secret }: SnippetContext): string => `${
  secret.startsWith("$") ? "import os\n" : ""
}from openai import OpenAI

client = OpenAI(
    base_url=${quoteString(`${origin}/v1`)},
    api_key=${keyExpression(secret, 'os.environ["PORTICO_API_KEY"]')},
)
answer = client.chat.completions.create(
    model=${quoteString(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`

const typescript = ({
  origin,
  model,
  secret,
}: SnippetContext): string => `import OpenAI from "openai"

const client = new OpenAI({
  baseURL: ${quoteString(`${origin}/v1`)},
  apiKey: ${keyExpression(secret, "process.env.PORTICO_API_KEY")},
})
const answer = await client.chat.completions.create({
  model: ${quoteString(model)},
  messages: [{ role: "user", content: "Hello" }],
})
console.log(answer.choices[0].message.content)`

/** Code samples for calling this server, ready to paste. */
export const createApiSnippets = (context: SnippetContext) => ({
  curl: curl(context),
  python: python(context),
  typescript: typescript(context),
})
