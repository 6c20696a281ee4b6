export const pdf = {
  "pdf.document": "Pages of {name}",
  "pdf.toolbar": "Page and zoom",
  "pdf.page": "Page {page} of {count}",
  "pdf.pageNumber": "Page number",
  "pdf.of": "of {count}",
  "pdf.fitWidth": "Fit width",
  "pdf.showPages": "Show pages",
  "pdf.showText": "Show text",
  "pdf.title": "Document",
  "pdf.password":
    "This PDF is password-protected, so its pages can't be shown. Download it to open it with the password.",
  "pdf.damaged": "This PDF is damaged, so its pages can't be shown.",
  "pdf.unavailable": "The pages of this PDF couldn't be loaded. Reload to try again.",
  "pdf.unmarked":
    "The passage can't be marked, as the page's text doesn't contain it. This happens with scanned pages.",
}
