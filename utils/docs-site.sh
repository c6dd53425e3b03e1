#!/usr/bin/env bash
# Makes a site of the pages, in build/docs-site/site. A link or an anchor that leads
# nowhere, and a page that docs/mkdocs.yml does not name, are errors. mkdocs comes
# from pip, into a folder of the build.
#
#   utils/docs-site.sh            builds it
#   utils/docs-site.sh --serve    builds it and serves it on localhost:8000
#   utils/docs-site.sh --tools    only gets mkdocs; status 3 where pip cannot
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=build/docs-site
mkdocs=$folder/venv/bin/mkdocs

get_tools() {
  # What was installed for other versions is installed again.
  if cmp -s docs/requirements.txt "$folder/requirements.txt" && [ -x "$mkdocs" ]; then
    return
  fi
  mkdir -p "$folder"
  if ! { python3 -m venv --clear "$folder/venv" &&
    timeout 300 "$folder/venv/bin/pip" install --quiet --retries 1 --timeout 20 -r docs/requirements.txt; }; then
    echo "docs-site: pip cannot install what docs/requirements.txt names" >&2
    exit 3
  fi
  cp docs/requirements.txt "$folder/requirements.txt"
}

get_tools
[ "${1-}" = --tools ] && exit 0
python3 utils/stage-docs.py "$folder"
"$mkdocs" build --strict --config-file "$folder/mkdocs.yml" --site-dir site
echo "docs-site: $PWD/$folder/site/index.html"
if [ "${1-}" = --serve ]; then
  python3 -m http.server 8000 --bind 127.0.0.1 --directory "$folder/site"
fi
