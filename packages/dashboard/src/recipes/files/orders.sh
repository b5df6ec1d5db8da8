#!/usr/bin/env bash
# Keeps the orders of the store in orders.jsonl, one JSON object per line. A line replaces earlier lines with the same id.
# Needs curl and jq. Set the environment variable STORE_EXPORT_KEY to your key, then run:
#   bash orders.sh
# The first run reads all orders, and later runs read changes. orders.state stores the progress, so that the next run
# continues after a run that was killed. To start again, delete both files.
set -euo pipefail

address='https://api.example.com/api/v1/orders'
rows=orders.jsonl
state=orders.state
attempts_max=8
attempts_to_connect_max=4
: "${STORE_EXPORT_KEY:?is not set: create a key in the dashboard under Settings > API}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Writes one page to $work/body. Retries after a rate limit, a busy store or a lost connection.
get_page() {
  local attempt status wait most message
  for ((attempt = 1; ; attempt++)); do
    # The key is in a file, because other programs can read the command line.
    status="$(curl --silent --show-error --get --max-time 60 --header @<(printf 'x-api-key: %s' "$STORE_EXPORT_KEY") \
      --dump-header "$work/headers" --output "$work/body" --write-out '%{http_code}' \
      --data limit=250 --data-urlencode "updated_since=$since" ${cursor:+--data-urlencode "cursor=$cursor"} \
      "$address" 2>"$work/error")" || status=000
    [ "$status" != 200 ] || return 0
    wait=$((attempt < 7 ? 2 ** (attempt - 1) : 60))
    message="status $status: $(cat "$work/body" 2>/dev/null || true)"
    case "$status" in
      409 | 429 | 502 | 503 | 504) most=$attempts_max wait="$(retry_after "$wait")" ;;
      000) most=$attempts_to_connect_max message="no response from $address: $(cat "$work/error")" ;;
      *) most=1 ;;
    esac
    if [ -n "$cursor" ] && [[ "$message" == *INVALID_CURSOR* ]]; then
      cursor=''
      continue
    fi
    if [ "$attempt" -ge "$most" ]; then
      echo "stopped: $message" >&2
      exit 1
    fi
    echo "waits $wait s: $message" >&2
    sleep "$wait"
  done
}

# Prints the seconds in the Retry-After header of the last response; $1 without that header.
retry_after() {
  awk -v wait="$1" 'tolower($1) == "retry-after:" { wait = $2 + 0 } END { print wait }' "$work/headers"
}

# Prints the watermark of the last response: the next run requests changes since then.
watermark() {
  awk 'tolower($1) == "x-sync-watermark:" { gsub("\r", ""); print $2 }' "$work/headers"
}

size() {
  wc -c <"$rows" | tr -d ' '
}

since='1970-01-01T00:00:00Z' cursor='' bytes=0 count=0
touch "$rows"
if [ -f "$state" ] && [ "$(size)" -ge "$(jq .bytes "$state")" ]; then
  since="$(jq --raw-output .since "$state")"
  cursor="$(jq --raw-output '.cursor // ""' "$state")"
  bytes="$(jq .bytes "$state")"
fi
# A killed run may have left part of a page.
if [ "$(size)" -gt "$bytes" ]; then
  head -c "$bytes" "$rows" >"$rows.new"
  mv "$rows.new" "$rows"
fi
has_more=true
while [ "$has_more" = true ]; do
  get_page
  jq --compact-output '.data[]' "$work/body" >>"$rows"
  count=$((count + $(jq '.data | length' "$work/body")))
  has_more="$(jq .meta.has_more "$work/body")"
  cursor="$(jq --raw-output '.meta.next_cursor // ""' "$work/body")"
  # Save the watermark only when all pages are written.
  [ "$has_more" = true ] || since="$(watermark)"
  jq --null-input --arg since "$since" --arg cursor "$cursor" --argjson bytes "$(size)" \
    '{since: $since, cursor: (if $cursor == "" then null else $cursor end), bytes: $bytes}' >"$state.new"
  mv "$state.new" "$state"
done
echo "$count orders; the next run requests changes since $since" >&2
