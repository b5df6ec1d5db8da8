#!/usr/bin/env bash
# Orders changed since a moment, oldest first, one JSON object a line. Needs curl, jq and the key in STORE_EXPORT_KEY:
#   bash orders.sh 2026-07-01T00:00:00Z > orders.jsonl
# At its end it names the moment to give to the next run, so that no change is missed. Rows replace those with the same id.
set -euo pipefail

address='https://api.example.com/api/v1/orders'
since="${1:-1970-01-01T00:00:00Z}"
: "${STORE_EXPORT_KEY:?must hold a key; make one in the dashboard under Settings, API}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Leaves one page in $work/body. Asks again after a limit, a busy store or a lost connection, at most 6 times.
get_page() {
  local attempt status
  for attempt in 1 2 3 4 5 6; do
    # the key comes from a file, since other programs can read a command line
    status="$(curl --silent --get --max-time 60 --header @<(printf 'x-api-key: %s' "$STORE_EXPORT_KEY") \
      --dump-header "$work/headers" --output "$work/body" --write-out '%{http_code}' \
      --data limit=250 --data-urlencode "updated_since=$since" "$@" "$address")" || status=000
    [ "$status" != 200 ] || return 0
    [ "$attempt" -lt 6 ] || break
    case "$status" in
      429) sleep "$(retry_after)" ;;
      409 | 502 | 000) sleep $((2 ** (attempt - 1))) ;;
      *) break ;;
    esac
  done
  echo "stopped with status $status: $(cat "$work/body" 2>/dev/null)" >&2
  exit 1
}

# Seconds that the last answer asks to wait.
retry_after() {
  awk 'tolower($1) == "retry-after:" { wait = $2 + 0 } END { print wait ? wait : 1 }' "$work/headers"
}

# From when the next run asks, as the last answer says.
watermark() {
  awk 'tolower($1) == "x-sync-watermark:" { gsub("\r", ""); print $2 }' "$work/headers"
}

get_page
jq --compact-output '.data[]' "$work/body"
while [ "$(jq .meta.has_more "$work/body")" = true ]; do
  get_page --data-urlencode "cursor=$(jq --raw-output .meta.next_cursor "$work/body")"
  jq --compact-output '.data[]' "$work/body"
done
echo "next run: bash orders.sh $(watermark)" >&2
