# Sourced by the scripts of this folder: quiet steps with progress on a
# terminal. Each step writes a log; only a failing one is shown.

ATTN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ATTN_BUILD="$ATTN_ROOT/build"
ATTN_LOGS="$ATTN_BUILD/logs"
mkdir -p "$ATTN_LOGS"

# run_step NAME COMMAND...: returns the command's status. On a terminal a
# single line shows the last line of the log while the command runs.
run_step() {
  local name=$1 log status started=$SECONDS width last
  shift
  log="$ATTN_LOGS/${name// /-}.log"
  if [ ! -t 1 ]; then
    "$@" >"$log" 2>&1 </dev/null
    status=$?
  else
    "$@" >"$log" 2>&1 </dev/null &
    local pid=$!
    trap 'kill "$pid" 2>/dev/null; printf "\n"; exit 130' INT TERM
    while kill -0 "$pid" 2>/dev/null; do
      width=$(tput cols 2>/dev/null || echo 80)
      last=$(tail -n 1 "$log" 2>/dev/null | tr -d '\r\033' | cut -c "1-$((width - ${#name} - 12))")
      printf '\r\033[K%s (%ss) %s' "$name" "$((SECONDS - started))" "$last"
      sleep 0.5
    done
    trap - INT TERM
    wait "$pid"
    status=$?
    printf '\r\033[K'
  fi
  if [ "$status" -ne 0 ]; then
    printf 'FAILED: %s (%ss), log in %s\n' "$name" "$((SECONDS - started))" "$log"
    tail -n "${ATTN_LOG_LINES:-40}" "$log"
  fi
  return "$status"
}

# prepare TARGET...: packages, configuration and a build of the targets. Nothing
# that follows can work if it fails.
prepare() {
  run_step bootstrap "$ATTN_ROOT/utils/bootstrap.sh" &&
    run_step configure cmake -S "$ATTN_ROOT" --preset dev &&
    run_step build cmake --build "$ATTN_BUILD" --target "$@"
}
