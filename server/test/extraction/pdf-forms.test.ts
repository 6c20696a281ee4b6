import { expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"
import { createFormPdf, streamObject, widget } from "./make-form-pdf.ts"

const read = useDocumentReader()

const textField = (rect: string, name: string, value: string, entries = "") =>
  widget(rect, name, `/FT/Tx/V(${value})${entries}`)

const checkBox = (rect: string, name: string, state: string, entries = "") =>
  widget(
    rect,
    name,
    `/FT/Btn/V/${state}/AS/${state}/AP<</N<</Yes 1000 0 R/Off 1000 0 R>>>>${entries}`,
  )

const appearance = streamObject("", "/Type/XObject/Subtype/Form/BBox[0 0 10 10]")

it("puts the values of form fields beside their labels", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        text: [
          [50, 700, "First name:"],
          [300, 700, "Last name:"],
          [50, 660, "Country"],
          [50, 620, "Remarks"],
          [70, 500, "Newsletter by e-mail"],
          [70, 480, "Newsletter by post"],
          [50, 440, "Account number"],
          [50, 400, "Password"],
        ],
        annotations: [
          textField("370 695 500 715", "last", "Lovelace"),
          textField("120 695 250 715", "first", "Ada"),
          widget(
            "120 655 250 675",
            "country",
            "/FT/Ch/Ff 131072/V(at)/Opt[[(at)(Austria)][(de)(Germany)]]",
          ),
          textField("50 540 400 615", "remarks", "Arrives late.\\rNeeds a lift.", "/Ff 4096"),
          checkBox("50 498 62 510", "mail", "Yes"),
          checkBox("50 478 62 490", "post", "Off"),
          textField("150 435 400 455", "account", "0815", "/Ff 16777216/MaxLen 4"),
          textField("120 395 250 415", "secret", "hunter2", "/Ff 8192"),
          textField("50 350 250 370", "empty", ""),
        ],
      },
    ],
    objects: [appearance],
  })
  const { text } = await read("form.pdf", pdf)
  expect(text).toContain("First name: Ada")
  expect(text).toContain("Last name: Lovelace")
  expect(text).toContain("Country Austria")
  expect(text).toMatch(/Remarks\s+Arrives late\.\s+Needs a lift\./)
  expect(text).toContain("[x] Newsletter by e-mail")
  expect(text).toContain("[ ] Newsletter by post")
  expect(text).toContain("Account number 0815")
  expect(text).not.toContain("hunter2")
  expect(text).not.toContain("empty")
})

it("tells which button of a group is chosen", async () => {
  const button = (rect: string, value: string, state: string) =>
    `<</Type/Annot/Subtype/Widget/F 4/Rect[${rect}]/Parent 1001 0 R/AS/${state}/AP<</N<</${value} 1000 0 R/Off 1000 0 R>>>>>>`
  const pdf = createFormPdf({
    pages: [
      {
        text: [
          [50, 700, "Member?"],
          [170, 700, "Yes"],
          [270, 700, "No"],
        ],
        annotations: [
          button("150 698 162 710", "member", "Off"),
          button("250 698 262 710", "guest", "guest"),
        ],
      },
    ],
    objects: [appearance, "<</FT/Btn/Ff 49152/T(kind)/V/guest/Kids[20 0 R 21 0 R]>>"],
  })
  const { text } = await read("choice.pdf", pdf)
  expect(text).toMatch(/\[ \] Yes\s+\[x\] No/)
})

it("names fields that have no label on the page, by their description first", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        annotations: [
          textField("50 700 250 720", "form1[0].City[0]", "Linz"),
          textField("50 600 250 620", "f2", "4020", "/TU(Postal code)"),
          checkBox("50 500 62 512", "Agreed", "Yes"),
        ],
      },
    ],
    objects: [appearance],
  })
  const { text } = await read("fields-only.pdf", pdf)
  expect(text.split(/\n+/)).toEqual(["City: Linz", "Postal code: 4020", "[x] Agreed"])
})

it("places fields on turned pages", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        rotate: 90,
        content: "BT /F1 12 Tf 0 1 -1 0 100 50 Tm (Street:) Tj 0 1 -1 0 140 50 Tm (Town:) Tj ET",
        annotations: [
          textField("88 120 105 300", "street", "High Road 7"),
          textField("128 120 145 300", "town", "Graz"),
        ],
      },
    ],
  })
  const { text } = await read("turned.pdf", pdf)
  expect(text).toContain("Street: High Road 7")
  expect(text).toContain("Town: Graz")
})

it("keeps a row of fields in one line", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        text: [
          [50, 720, "No."],
          [110, 720, "Item"],
          [310, 720, "Price"],
          [50, 700, "1."],
          [50, 680, "2."],
        ],
        annotations: [
          textField("100 697 280 712", "item1", "Smoker"),
          textField("300 697 400 712", "price1", "19.50"),
          textField("100 677 280 692", "item2", "Hive tool"),
          textField("300 677 400 692", "price2", "7.20"),
        ],
      },
    ],
  })
  const { text } = await read("rows.pdf", pdf)
  expect(text).toMatch(/1\. ?\|? Smoker \|? ?19\.50/)
  expect(text).toMatch(/2\. ?\|? Hive tool \|? ?7\.20/)
})

it("does not repeat values that the page shows as text already", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        text: [
          [50, 700, "Name:"],
          [122, 700, "Grace Hopper"],
        ],
        annotations: [textField("120 695 250 715", "name", "Grace Hopper")],
      },
    ],
  })
  const { text } = await read("flattened.pdf", pdf)
  expect(text).toBe("Name: Grace Hopper")
})

it("reads who signed, and fields that no page shows", async () => {
  const signature =
    "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/Contents<00>/ByteRange[0 9 20 9]/Name(Ada Lovelace)/M(D:20260304103000+01'00')/Reason(Approved)>>"
  const pdf = createFormPdf({
    pages: [
      {
        text: [[50, 700, "Signature"]],
        annotations: [
          widget("120 695 300 715", "sig", "/FT/Sig/V 1001 0 R"),
          textField("120 655 300 675", "internal", "Ledger 9", "/F 2"),
        ],
      },
    ],
    form: "/SigFlags 3",
    objects: [appearance, signature],
  })
  const { text } = await read("signed.pdf", pdf)
  expect(text).toContain(
    "Signature Signed by Ada Lovelace on 2026-03-04 10:30:00 +01:00 (Approved)",
  )
  expect(text).toContain("internal: Ledger 9")
})

const xfaForm = (fields: string, data: string) =>
  createFormPdf({
    pages: [{ text: [[50, 700, "Please wait..."]] }],
    catalog: "/NeedsRendering true",
    form: "/XFA 1000 0 R",
    objects: [
      streamObject(`<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">
<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1" layout="tb" locale="en_US">
<pageSet><pageArea name="Page1" id="Page1"><contentArea x="10mm" y="10mm" w="190mm" h="270mm"/><medium stock="a4" short="210mm" long="297mm"/></pageArea></pageSet>
<subform w="180mm" layout="tb">${fields}</subform></subform></template>
<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1>${data}</form1></xfa:data></xfa:datasets></xdp:xdp>`),
    ],
  })

const caption = (text: string) =>
  `<caption reserve="40mm"><value><text>${text}</text></value></caption>`

it("reads the captions and values of dynamic XFA forms", async () => {
  const pdf = xfaForm(
    `<draw w="90mm" h="8mm"><ui><textEdit/></ui><value><text>Membership</text></value></draw>
<field name="City" w="90mm" h="8mm"><ui><textEdit/></ui>${caption("City")}</field>
<field name="Note" w="90mm" h="20mm"><ui><textEdit multiLine="1"/></ui>${caption("Note")}</field>
<field name="Kind" w="90mm" h="8mm"><ui><choiceList/></ui>${caption("Kind")}<items><text>Full member</text><text>Guest</text></items><items save="1"><text>f</text><text>g</text></items></field>
<field name="News" w="90mm" h="8mm"><ui><checkButton/></ui>${caption("Newsletter")}<items><integer>1</integer><integer>0</integer></items></field>
<field name="Fax" w="90mm" h="8mm"><ui><textEdit/></ui>${caption("Fax")}</field>`,
    "<City>Linz</City><Note>Arrives late.</Note><Kind>g</Kind><News>1</News><Fax/>",
  )
  const { text } = await read("xfa.pdf", pdf)
  expect(text).not.toContain("Please wait")
  expect(text.split(/\n+/)).toEqual([
    "Membership",
    "City: Linz",
    "Note: Arrives late.",
    "Kind: Guest",
    "[x] Newsletter",
    "Fax",
  ])
})

it("reads the static pages of a form whose XFA part is damaged", async () => {
  const pdf = createFormPdf({
    pages: [
      { text: [[50, 700, "Town:"]], annotations: [textField("120 695 250 715", "t", "Graz")] },
    ],
    form: "/XFA 1000 0 R",
    catalog: "/NeedsRendering true",
    objects: [streamObject("<xdp:xdp")],
  })
  expect((await read("damaged-xfa.pdf", pdf)).text).toContain("Town: Graz")
})
