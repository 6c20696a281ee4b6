import { expect, it } from "vitest"
import { escapeTags } from "./escape-tags.ts"

it.each([
  "A<-->B",
  "A <--> B",
  "A <-.-> B",
  "A <==> B",
  "Animal <|-- Duck",
  "Animal <|.. Duck",
  "A <.. B",
  "A <<->> B",
  "A <<-->> B",
  "a <- contains - b",
  'go<["Next"]>(right)',
  "<<interface>> Shape",
  "class Shape\n  <<interface>>",
  "state fork <<fork>>",
  'A["one<br>two<br/>three<BR />four"]',
])("keeps %s, which Mermaid reads", (source) => {
  expect(escapeTags(source)).toBe(source)
})

it.each([
  'A["<img src=x onerror=a()>"]',
  'A["<<img src=x onerror=a()>"]',
  'A["<<<img src=x onerror=a()>>>"]',
  'A["<br><svg/onload=a()>"]',
  'A["<!-- a --><?b?></p>"]',
  'A["<<img>>"]',
  'A["<br onclick=a()>"]',
  'A["<--<img src=x>"]',
  'A["<|--<a>"]',
])("escapes tags in %s", (source) => {
  expect(escapeTags(source)).not.toMatch(/<(?!br\s*\/?>)[a-z/!?]/i)
  expect(escapeTags(source)).toContain("#lt;")
})
