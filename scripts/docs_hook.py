"""For mkdocs: what docs/ links to outside docs/ is not part of the site.

The pages with a diagram have Mermaid from the site itself, where `make docs` has put it.

A link to a file of the repository leads to where that is published, as `source` of mkdocs.yml says, or else becomes plain text.
"""

import os
import posixpath
import re

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s#]*)(#[^)\s]*)?\)")
MERMAID = "assets/javascripts/mermaid.min.js"


def on_files(files, config):
    files.append(File.generated(config, MERMAID, abs_src_path=os.environ["NDK_MERMAID"]))
    return files


def on_page_content(html, page, config, files):
    if 'class="mermaid"' in html:
        html += f'<script src="{get_relative_url(MERMAID, page.url)}"></script>'
    return html


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.dirname(page.file.src_uri)

    def leave(link):
        text, target = link[1], posixpath.normpath(posixpath.join("docs", folder, link[2]))
        if target.startswith("docs/"):
            return link[0]
        source = config.extra.get("source")
        return f"[{text}]({source.rstrip('/')}/{target}{link[3] or ''})" if source else text

    return LINK.sub(leave, markdown)
