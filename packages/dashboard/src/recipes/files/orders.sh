#!/usr/bin/env bash
# Keeps all orders of the store in orders.jsonl, one JSON object a line. A line replaces earlier lines with the same id.
# Needs curl, jq and the key in STORE_EXPORT_KEY:
#   bash orders.sh
# The first run reads everything, later runs what changed. orders.state says how far the file is: a run that was killed
# continues there. Delete both files to start again.
set -euo pipefail

address='https://api.example.com/api/v1/orders'
rows=orders.jsonl
state=orders.state
attempts_max=8
attempts_to_connect_max=4
: "${STORE_EXPORT_KEY:?must hold a key; make one in the dashboard under Settings, API}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Leaves one page in $work/body. Retries after a limit, a busy store or a lost connection.
get_page() {
  local attempt status wait most message
  for ((attempt = 1; ; attempt++)); do
    # the key comes from a file, since other programs can read a command line
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

# Seconds that the last response asks to wait; $1 if it does not say.
retry_after() {
  awk -v wait="$1" 'tolower($1) == "retry-after:" { wait = $2 + 0 } END { print wait }' "$work/headers"
}

# From when the next run asks, as the last response says.
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
# a run that was killed may have left half a page
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
  # the watermark counts from when everything is written
  [ "$has_more" = true ] || since="$(watermark)"
  jq --null-input --arg since "$since" --arg cursor "$cursor" --argjson bytes "$(size)" \
    '{since: $since, cursor: (if $cursor == "" then null else $cursor end), bytes: $bytes}' >"$state.new"
  mv "$state.new" "$state"
done
echo "$count orders; the next run requests changes since $since" >&2
