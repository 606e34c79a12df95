"""For mkdocs: what docs/ links to outside docs/ is not part of the site.

A link to a file of the repository leads to where that is published, as `source` of mkdocs.yml says, or else becomes plain text.
"""

import posixpath
import re

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s#]*)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.dirname(page.file.src_uri)

    def leave(link):
        text, target = link[1], posixpath.normpath(posixpath.join("docs", folder, link[2]))
        if target.startswith("docs/"):
            return link[0]
        source = config.extra.get("source")
        return f"[{text}]({source.rstrip('/')}/{target}{link[3] or ''})" if source else text

    return LINK.sub(leave, markdown)
