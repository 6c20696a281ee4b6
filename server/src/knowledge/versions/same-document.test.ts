import { describe, expect, it } from "vitest"
import { isSameDocument } from "./same-document.ts"
import { readTextEvidence } from "./text-evidence.ts"
import { parseVersionName } from "./version-name.ts"

interface Text {
  name: string
  text: string
}

const compare = (a: Text, b: Text): boolean => {
  const [one, other] = [a, b].map(({ name, text }) => ({
    name: parseVersionName(name),
    evidence: readTextEvidence(text),
  }))
  return one !== undefined && other !== undefined && isSameDocument(one, other)
}

const leave = (days: string, notice: string, approver: string): string =>
  `Leave policy. Every employee has ${days} days of paid leave in a calendar year. Leave is requested in the portal at least ${notice} in advance and is approved by ${approver}. Unused leave may be carried over until 31 March of the following year. Employees who join during the year have one twelfth for each full month. Sick leave is not deducted from paid leave.`
const urlaub = (tage: string, stelle: string): string =>
  `Urlaubsregelung. Alle Beschäftigten haben ${tage} Tage Urlaub im Jahr. Der Antrag ist vier Wochen vorher bei der ${stelle} zu stellen. Nicht genommener Urlaub verfällt am 31. März des Folgejahres. Wer unterjährig eintritt, erhält ein Zwölftel je vollem Monat. Krankheitstage werden nicht angerechnet.`
const manual = (torque: string, extra: string): string =>
  `Stairlift SL-200 service manual. Document 4711-B. Before any work, switch the main switch off and lock it. Tighten the rail bolts with ${torque} Nm. Lubricate the rack every 6 months. ${extra} Fault E36 means that the obstacle sensor is open: check the plug X12 and replace the sensor if its resistance is above 200 ohms.`
const prices = (factor: number): string =>
  [
    "Price list, all prices in EUR without VAT.",
    ...["Oak board", "Pine board", "Steel hinge", "Brass handle", "Wood glue", "Sand paper"].map(
      (item, at) => `ART-${100 + at} | ${item} | per piece | ${((at + 3.2) * factor).toFixed(2)}`,
    ),
    "Delivery is free from 500 EUR. Prices are valid until the next list appears.",
  ].join("\n")
const vacation = (days: string): string =>
  `员工休假制度。每位员工每年享有${days}天带薪年假。请假须提前两周在系统中提出申请，并由部门经理批准。未使用的年假可以结转至次年三月三十一日。年中入职的员工按整月比例计算。病假不从年假中扣除。`

const invoice = (number: string, customer: string, item: string, amount: string): string =>
  `Nordwind Supplies Ltd, 12 Harbour Street, Bristol. Invoice No. ${number}. Bill to: ${customer}. Description: ${item}. Quantity 1. Amount due: ${amount} EUR. Please transfer the amount within 14 days to IBAN GB29 NWBK 6016 1331 9268 19. Thank you for your order. Goods remain our property until they are paid in full.`
const contract = (party: string, city: string, service: string): string =>
  `Service agreement between Nordwind Supplies Ltd, Bristol, and ${party}, ${city}, hereinafter the customer. The supplier provides ${service} to the customer. The agreement begins when both parties have signed and can be ended with three months' notice. Liability is limited to the annual fee. Changes must be made in writing. The courts of Bristol have jurisdiction. ${party} names a contact person.`
const report = (month: string, numbers: readonly number[]): string =>
  `Monthly sales report for ${month} 2025. Total revenue was ${numbers[0]} thousand EUR. The region North contributed ${numbers[1]}, the region South ${numbers[2]}, and exports ${numbers[3]}. New customers: ${numbers[4]}. Complaints: ${numbers[5]}. Stock at the end of the month: ${numbers[6]} pallets. The figures were checked by the controlling department.`
const angebot = (kunde: string, ort: string, leistung: string): string =>
  `Angebot der Nordwind Service GmbH, Bremen, für ${kunde}, ${ort}. Wir bieten an: ${leistung}. Das Angebot gilt vier Wochen. Zahlbar innerhalb von vierzehn Tagen ohne Abzug. Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum. Gerichtsstand ist Bremen. Wir freuen uns auf Ihren Auftrag.`
const productManual = (product: string): string =>
  `${product} operating manual\n\nRead this manual before you use the ${product} for the first time. Switch the ${product} off before you clean it. Use only parts that the maker approves. Keep children away while it runs. If it leaks, close the valve and call the service. Check the seals every year and replace them if they are worn.`
const minutes = (topic: string): string =>
  `Minutes of the management meeting. Present: Anna Smith, Tom Jones, Ines Weber. The minutes of the last meeting were approved. ${topic} Next meeting: in four weeks, same place. Minutes taken by Ines Weber.`

const roof =
  "The roof of hall two leaks after heavy rain. Tom collects offers from three roofers. Anna asks the insurance whether it covers the damage to the stored paper."
const software =
  "The new time recording software starts in spring. Training takes place for every team. Overtime from last year is transferred by the payroll office."

describe("recognizes versions of", () => {
  it.each<[string, Text, Text]>([
    [
      "a policy by year",
      { name: "Leave policy 2023.docx", text: leave("24", "two weeks", "the manager") },
      { name: "Leave policy 2025.docx", text: leave("28", "ten days", "the team lead") },
    ],
    [
      "a policy with equal names",
      { name: "Leave policy.docx", text: leave("24", "two weeks", "the manager") },
      { name: "Leave policy.docx", text: leave("28", "two weeks", "the manager") },
    ],
    [
      "a policy in two formats",
      { name: "leave_policy_final.pdf", text: leave("28", "two weeks", "the manager") },
      { name: "Leave-Policy (old).docx", text: leave("24", "three weeks", "the head office") },
    ],
    [
      "a policy with the day in its name",
      { name: "2024-05-01 Leave policy.docx", text: leave("28", "two weeks", "the manager") },
      { name: "2025-06-15 Leave policy.docx", text: leave("28", "3 weeks", "the manager") },
    ],
    [
      "a policy with the day in its name and one number that changes",
      { name: "Leave policy 2023-05-01.docx", text: leave("24", "two weeks", "the manager") },
      { name: "Leave policy 2025-06-15.docx", text: leave("28", "two weeks", "the manager") },
    ],
    [
      "a policy with versions and months",
      { name: "Leave policy v1 2023-05.docx", text: leave("24", "two weeks", "the manager") },
      { name: "Leave policy v2 2025-06.docx", text: leave("28", "3 weeks", "the team lead") },
    ],
    [
      "a German policy",
      { name: "Urlaubsregelung_2022.docx", text: urlaub("24", "Geschäftsführung") },
      { name: "Urlaubsregelung_2024.docx", text: urlaub("28", "Personalabteilung") },
    ],
    [
      "a German policy, one of which is said to be new",
      { name: "Urlaubsregelung.docx", text: urlaub("24", "Geschäftsführung") },
      { name: "Urlaubsregelung neu.docx", text: urlaub("28", "Personalabteilung") },
    ],
    [
      "a manual",
      { name: "SL-200_service_manual_v1.pdf", text: manual("40", "") },
      {
        name: "SL-200_service_manual_v2.pdf",
        text: manual("45", "Replace the belt after 500 hours. The belt has the part number B-77."),
      },
    ],
    [
      "a manual with dotted numbers",
      { name: "SL-200 manual 1.2.pdf", text: manual("40", "") },
      { name: "SL-200 manual 2.0.pdf", text: manual("45", "Clean the seat with soap.") },
    ],
    [
      "a price list",
      { name: "price-list-2024.csv", text: prices(4.1) },
      { name: "price-list-2025.csv", text: prices(4.7) },
    ],
    [
      "a copy that was changed",
      { name: "Leave policy.docx", text: leave("24", "two weeks", "the manager") },
      { name: "Leave policy (1).docx", text: leave("28", "two weeks", "the manager") },
    ],
    [
      "a policy with the month in its title",
      { name: "Rules.docx", text: `Rules, May 2020\n\n${leave("24", "two weeks", "the manager")}` },
      {
        name: "Rules.docx",
        text: `New rules, July 2023\n\n${leave("28", "ten days", "the lead")}`,
      },
    ],
    [
      "a Chinese policy",
      { name: "休假制度2023.docx", text: vacation("十") },
      { name: "休假制度2025.docx", text: vacation("十二") },
    ],
  ])("%s", (_what, a, b) => {
    expect(compare(a, b)).toBe(true)
    expect(compare(b, a)).toBe(true)
  })
})

describe("takes for different documents", () => {
  const invoices = [
    invoice("1042", "Acme Ltd, Leeds", "Cleaning of the offices in March", "480.00"),
    invoice("1043", "Beta Foods plc, York", "Repair of a pump", "1250.50"),
    invoice("1051", "Acme Ltd, Leeds", "Cleaning of the offices in April", "480.00"),
    invoice("2024-0117", "Acme Ltd, Leeds", "Cleaning of the offices in May", "480.00"),
  ]
  const pairs = invoices.flatMap((text, at) => invoices.slice(at + 1).map((other) => [text, other]))
  it.each([
    ["invoice.pdf", "invoice.pdf"],
    ["invoice (1).pdf", "invoice.pdf"],
    ["invoice-1042.pdf", "invoice-1043.pdf"],
    ["Invoice 2024.pdf", "Invoice 2025.pdf"],
    ["invoice 2024-03.pdf", "invoice 2024-04.pdf"],
    ["invoice final.pdf", "invoice new.pdf"],
  ])("invoices named %s and %s", (name, otherName) => {
    for (const [text = "", other = ""] of pairs)
      expect(compare({ name, text }, { name: otherName, text: other })).toBe(false)
  })

  it.each<[string, Text, Text]>([
    [
      "contracts with different customers",
      { name: "contract.docx", text: contract("Acme Ltd", "Leeds", "cleaning services") },
      { name: "contract.docx", text: contract("Beta Foods plc", "York", "cleaning services") },
    ],
    [
      "contracts by customer",
      { name: "contract-acme.docx", text: contract("Acme Ltd", "Leeds", "cleaning services") },
      { name: "contract-beta.docx", text: contract("Beta Foods plc", "York", "cleaning services") },
    ],
    [
      "contracts by year",
      { name: "contract 2023.docx", text: contract("Acme Ltd", "Leeds", "cleaning services") },
      { name: "contract 2024.docx", text: contract("Beta Foods plc", "York", "gardening") },
    ],
    [
      "monthly reports",
      { name: "report-2025-01.docx", text: report("January", [812, 400, 212, 200, 14, 3, 77]) },
      { name: "report-2025-02.docx", text: report("February", [790, 380, 230, 180, 9, 5, 81]) },
    ],
    [
      "monthly reports named by the month",
      { name: "Report January 2025.docx", text: report("January", [812, 400, 212, 200, 14, 3, 7]) },
      { name: "Report March 2025.docx", text: report("March", [790, 380, 230, 180, 9, 5, 81]) },
    ],
    [
      "minutes by day",
      { name: "Minutes 2025-03-12.docx", text: minutes(roof) },
      { name: "Minutes 2025-04-09.docx", text: minutes(software) },
    ],
    [
      "minutes with equal names",
      { name: "minutes.docx", text: minutes(roof) },
      { name: "minutes.docx", text: minutes(software) },
    ],
    [
      "documents of which the names say nothing",
      { name: "2023.pdf", text: leave("24", "two weeks", "the manager") },
      { name: "2024.pdf", text: leave("28", "two weeks", "the manager") },
    ],
    [
      "descriptions with different titles",
      { name: "README.md", text: `# Search plugin\n\n${leave("24", "two weeks", "the manager")}` },
      { name: "README.md", text: `# Export plugin\n\n${leave("28", "two weeks", "the manager")}` },
    ],
    [
      "different documents with equal names",
      { name: "readme v1.txt", text: manual("40", "") },
      { name: "readme v2.txt", text: leave("28", "two weeks", "the manager") },
    ],
    ...["contract v1|contract v2", "contract draft|contract final", "contract|contract new"].map(
      (names): [string, Text, Text] => {
        const [name = "", other = ""] = names.split("|")
        return [
          `contracts with different customers, named ${names}`,
          { name, text: contract("Acme Ltd", "Leeds", "cleaning services") },
          { name: other, text: contract("Beta Foods plc", "York", "gardening of the yard") },
        ]
      },
    ),
    ...["Angebot v1|Angebot v2", "Angebot neu|Angebot", "Angebot alt|Angebot"].map(
      (names): [string, Text, Text] => {
        const [name = "", other = ""] = names.split("|")
        return [
          `offers to different customers, named ${names}`,
          { name, text: angebot("Keller Bau GmbH", "Köln", "Reinigung der Büros") },
          { name: other, text: angebot("Marie Sommer", "Bonn", "Pflege des Gartens") },
        ]
      },
    ),
    ...["minutes draft|minutes final", "minutes old|minutes", "minutes v1 draft|minutes v1"].map(
      (names): [string, Text, Text] => {
        const [name = "", other = ""] = names.split("|")
        return [
          `minutes of different meetings, named ${names}`,
          { name, text: minutes(roof) },
          { name: other, text: minutes(software) },
        ]
      },
    ),
    ...[
      "Report Q1 2025|Report Q2 2025",
      "Report 2025-Q1|Report 2025-Q4",
      "Report H1 2024|Report H2 2024",
      "Report KW 12 2025|Report KW 13 2025",
      "Report 2025 week 9|Report 2025 week 10",
      "Report Q1 2024|Report Q1 2025",
      "Report 2025|Report Q2 2025",
      "Report final Q1 2025|Report draft Q2 2025",
      "Report v2 Q1 2025|Report v1 Q2 2025",
      "Gehaltsabrechnung 2025-05|Gehaltsabrechnung 2025-06",
      "Gehaltsabrechnung Mai 2025|Gehaltsabrechnung Juni 2025",
      "Gehaltsabrechnung 2025-05-31|Gehaltsabrechnung 2025-06-30",
      "Gehaltsabrechnung 15.05.2025|Gehaltsabrechnung 15.06.2025",
      "Newsletter issue 12|Newsletter issue 13",
      "Magazin Ausgabe 3|Magazin Ausgabe 4",
      "Kapitel 3.1|Kapitel 3.2",
      "Pump P2010|Pump P2020",
      "Pump 2010|Pump 2050",
      "XR2010 manual|XR2020 manual",
    ].map((names): [string, Text, Text] => {
      const [name = "", other = ""] = names.split("|")
      const text = leave("24", "two weeks", "the manager")
      return [
        `papers with almost equal texts, named ${names}`,
        { name, text },
        { name: other, text: text.replace("two weeks", "three weeks") },
      ]
    }),
    ...[
      ["Pump 2010.pdf", "Pump 2010", "Pump 2020.pdf", "Pump 2020"],
      ["Golf 1.6.pdf", "Golf 1.6", "Golf 2.0.pdf", "Golf 2.0"],
      ["manual v1.pdf", "Pump P-2010", "manual v2.pdf", "Pump P-2020"],
      ["manual 2023.pdf", "Pump SX20", "manual 2024.pdf", "Pump SX30"],
      ["manual.pdf", "Printer 4200", "manual new.pdf", "Printer 5100"],
    ].map(([name = "", product = "", otherName = "", other = ""]): [string, Text, Text] => [
      `manuals of ${product} and ${other}`,
      { name, text: productManual(product) },
      { name: otherName, text: productManual(other) },
    ]),
    [
      "a chapter of another subject",
      { name: "Handbook 3.1.docx", text: leave("24", "two weeks", "the manager") },
      {
        name: "Handbook 3.2.docx",
        text: `${leave("24", "two weeks", "the lead").slice(0, 250)} Travel by train is booked at the counter. Hotels may cost up to one hundred euros a night including breakfast and taxes.`,
      },
    ],
    [
      "texts of a few words",
      { name: "note v1.txt", text: "Call Anna back." },
      { name: "note v2.txt", text: "Call Anna back today." },
    ],
  ])("%s", (_what, a, b) => {
    expect(compare(a, b)).toBe(false)
    expect(compare(b, a)).toBe(false)
  })
})
