"""Prepares a corpus for `npm run bench:extract -- --corpus FOLDER`. See the README.

independent-readers.py fetch FOLDER   downloads the packages of corpora.json and unpacks their documents
independent-readers.py read FOLDER    writes the text of each document to NAME.EXT.txt beside it
"""

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email import message_from_binary_file, policy
from pathlib import Path

MAX_SIZE = 20_000_000


def read_pdf(path):
    import pymupdf

    with pymupdf.open(path) as document:
        return "\n".join(page.get_text() for page in document)


def is_shown(element):
    """Whether text is neither deleted, moved away, nor the other alternative of the same content."""
    hidden = {"del", "moveFrom", "Fallback"}
    return not any(local_name(above) in hidden for above in element.iterancestors())


def local_name(element):
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def office_paragraphs(xml):
    from lxml import etree

    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, huge_tree=True))
    text = ""
    for element in root.iter():
        name = local_name(element)
        if name in ("p", "br", "tab", "cr", "tc"):
            text += "\n"
        if name == "t" and element.text and is_shown(element):
            text += element.text
    return text


def read_docx(path):
    parts = ("document", "header", "footer", "footnotes", "endnotes", "comments")
    with zipfile.ZipFile(path) as archive:
        names = [
            name
            for name in archive.namelist()
            if name.startswith("word/")
            and name.endswith(".xml")
            and name[5:-4].rstrip("0123456789") in parts
        ]
        return "\n".join(office_paragraphs(archive.read(name)) for name in names)


def read_xlsx(path):
    """Texts and whole numbers only: how other numbers are shown depends on their formats."""
    import openpyxl

    workbook = openpyxl.load_workbook(path, data_only=True)
    lines = []
    for sheet in workbook.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                is_plain = isinstance(cell.value, int) and cell.number_format in ("General", "0")
                if isinstance(cell.value, str) or (is_plain and not isinstance(cell.value, bool)):
                    lines.append(str(cell.value))
                if cell.comment:
                    lines.append(cell.comment.text)
    return "\n".join(lines)


def chart_texts(chart):
    lines = [chart.chart_title.text_frame.text] if chart.has_title else []
    for plot in chart.plots:
        categories = [str(category) for category in plot.categories]
        # How numbers and dates are shown depends on their formats.
        lines += [name for name in categories if not name.replace(".", "", 1).isdigit()]
        lines += [series.name for series in plot.series]
    return lines


def shape_texts(shapes):
    from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

    repeated = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER)
    for shape in shapes:
        if shape.is_placeholder and shape.placeholder_format.type in repeated:
            continue
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from shape_texts(shape.shapes)
        if shape.has_text_frame:
            yield shape.text_frame.text
        if shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        if shape.has_chart:
            yield from chart_texts(shape.chart)


def read_pptx(path):
    from pptx import Presentation

    lines = []
    for slide in Presentation(path).slides:
        lines += shape_texts(slide.shapes)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame:
            lines.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(lines)


def read_odf(path):
    from odf import teletype
    from odf.opendocument import load
    from odf.text import H, P

    document = load(path)
    paragraphs = document.getElementsByType(H) + document.getElementsByType(P)
    return "\n".join(teletype.extractText(paragraph) for paragraph in paragraphs)


def html_text(html):
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "lxml")
    for element in soup(["script", "style", "template", "noscript"]):
        element.decompose()
    return soup.get_text("\n")


def read_html(path):
    return html_text(path.read_bytes())


def read_eml(path):
    with path.open("rb") as file:
        message = message_from_binary_file(file, policy=policy.default)
    lines = [str(message.get(name, "")) for name in ("subject", "from", "to")]
    body = message.get_body(preferencelist=("plain", "html"))
    if body:
        content = body.get_content()
        lines.append(html_text(content) if body.get_content_subtype() == "html" else content)
    return "\n".join(lines)


def read_msg(path):
    import extract_msg

    with extract_msg.openMsg(path) as message:
        texts = (message.subject, message.sender, message.to, message.body)
        return "\n".join(str(text or "") for text in texts)


READERS = {
    "pdf": read_pdf,
    "docx": read_docx,
    "docm": read_docx,
    "xlsx": read_xlsx,
    "xlsm": read_xlsx,
    "pptx": read_pptx,
    "pptm": read_pptx,
    "odt": read_odf,
    "ods": read_odf,
    "odp": read_odf,
    "eml": read_eml,
    "msg": read_msg,
    "html": read_html,
    "htm": read_html,
}


def ending(name):
    return Path(name).suffix[1:].lower()


def read_corpus(folder):
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or ending(path.name) not in READERS:
            continue
        try:
            text = READERS[ending(path.name)](path)
        except Exception as error:  # A file that this reader cannot read is not compared.
            print(f"{path.relative_to(folder)}: {type(error).__name__}: {str(error)[:100]}")
            continue
        Path(f"{path}.txt").write_text(text, encoding="utf-8", errors="replace")


def download(corpora, folder):
    for name in corpora["pypi"]:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, "--dest", folder, name], check=True)
    for name in corpora["maven"]:
        mvn = ["mvn", "--quiet", "--batch-mode", "dependency:copy", f"-Dartifact={name}"]
        subprocess.run([*mvn, f"-DoutputDirectory={folder}"], check=True)


def entries(package):
    """Names and contents of the files in a package."""
    if package.suffix == ".jar":
        with zipfile.ZipFile(package) as archive:
            for info in archive.infolist():
                if ending(info.filename) in READERS and 0 < info.file_size <= MAX_SIZE:
                    yield info.filename, archive.read(info)
        return
    with tarfile.open(package) as archive:
        for member in archive:
            if member.isfile() and ending(member.name) in READERS and 0 < member.size <= MAX_SIZE:
                yield member.name, archive.extractfile(member).read()


def fetch_corpus(folder):
    corpora = json.loads(Path(__file__).with_name("corpora.json").read_text())
    known = set()
    with tempfile.TemporaryDirectory() as downloads:
        download(corpora, downloads)
        for package in sorted(Path(downloads).iterdir()):
            for name, content in entries(package):
                digest = hashlib.sha256(content).hexdigest()
                if digest in known:
                    continue
                known.add(digest)
                target = folder / ending(name) / f"{digest[:8]}-{Path(name).name}"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    print(f"{len(known)} documents")


if __name__ == "__main__":
    commands = {"fetch": fetch_corpus, "read": read_corpus}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](Path(sys.argv[2]))
