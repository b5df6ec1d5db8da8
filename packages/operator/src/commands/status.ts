// Implements `store-export status`, which shows the state of all nodes and stores (the fleet) on one screen. It reads
// only the control database, so it responds while stores are down.

import { setTimeout as delay } from 'node:timers/promises'
import { asControlDatabase, type FleetStatus, openControlDatabase, readFleetStatus } from '@store-export/control'
import { within } from '@store-export/postgres'
import type { Command } from 'commander'
import { type CommandContext, type ProcessContext, withControl } from '../command-context.ts'
import { explainError } from '../explain-error.ts'
import { fleetScreen } from '../fleet-screen.ts'
import { print, printJson, styled } from '../output.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

interface StatusOptions extends CommonOptions {
  readonly watch?: true
}

/** Maximum number of rows of each list on the screen, which must stay short. */
const ROWS_MAX = 5
/** Maximum number of rows of each list in JSON. */
const JSON_ROWS_MAX = 100
/** Maximum number of workers of a distributed control database that are checked at the same time. */
const WORKERS_AT_ONCE = 4
const WATCH_INTERVAL_MS = 5000
/** Longest wait for the control database, so that `--watch` shows an outage. */
const READ_MS_MAX = 10_000
/** Columns of the output if it is not a terminal. */
const DEFAULT_WIDTH = 120
/**
 * Control sequences of the terminal. The first two show and leave the alternate screen without a cursor. `HOME` goes to
 * its first line, and the others delete the rest of the line and of the screen.
 */
const SCREEN_ON = '\x1b[?1049h\x1b[?25l'
const SCREEN_OFF = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const REST_OF_LINE = '\x1b[K'
const REST_OF_SCREEN = '\x1b[J'

export function addStatusCommand(program: Command, processContext: ProcessContext): void {
  addCommand(
    program,
    'status',
    'show on one screen: nodes, stores, servers, slow and failing stores, and keys over their rate limit',
    'print the result as JSON. With --watch, print one line for each refresh.',
  )
    .option('--watch', `refresh every ${WATCH_INTERVAL_MS / 1000} s until Ctrl-C`)
    .action((options: StatusOptions) =>
      withControl(processContext, (context) =>
        options.watch === true ? watch(context, options) : show(context, options),
      ),
    )
}

async function show(context: CommandContext, { json }: StatusOptions): Promise<void> {
  const fleet = await read(context, json === true)
  if (json) return printJson(describe(fleet))
  for (const line of linesOf(fleet)) print(line)
}

/**
 * Shows the fleet until SIGINT or SIGTERM. Rejects if the first read fails. After the first result, shows an error and
 * refreshes again.
 */
async function watch(context: CommandContext, { json }: StatusOptions): Promise<void> {
  const stopping = new AbortController()
  // The handlers run once, so a second signal ends the process immediately.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort())
  const isScreen = json !== true && process.stdout.isTTY
  let fleet = await read(context, json === true)
  let problem: string | null = null
  if (isScreen) process.stdout.write(SCREEN_ON)
  try {
    while (!stopping.signal.aborted) {
      if (json) printJson(problem === null ? describe(fleet) : { error: problem })
      else draw(linesOf(fleet, problem), isScreen)
      // The signal ends the wait by an error.
      await delay(WATCH_INTERVAL_MS, null, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) break
      try {
        fleet = await read(context, json === true)
        problem = null
      } catch (error) {
        problem = messageOf(error)
      }
    }
  } finally {
    if (isScreen) process.stdout.write(SCREEN_OFF)
  }
}

/** Reads the state on a new connection, because an older one can hang after a failover of the control database. */
async function read({ controlUrl, config }: CommandContext, isJson: boolean): Promise<FleetStatus> {
  const { preparedStatements } = config
  const database = openControlDatabase(controlUrl, { poolSize: WORKERS_AT_ONCE, preparedStatements })
  try {
    return await asControlDatabase(controlUrl, () =>
      within(READ_MS_MAX, readFleetStatus(database, isJson ? JSON_ROWS_MAX : ROWS_MAX)),
    )
  } finally {
    await database.close()
  }
}

function linesOf(fleet: FleetStatus, problem: string | null = null): string[] {
  const width = process.stdout.isTTY ? process.stdout.columns : DEFAULT_WIDTH
  const { requestLogError } = fleet
  const requestLogProblem = requestLogError === null ? null : messageOf(requestLogError)
  return fleetScreen(fleet, { width, style: styled, problem, requestLogProblem })
}

function messageOf(error: unknown): string {
  return explainError(error)?.message ?? (error instanceof Error ? error.message : String(error))
}

/** Replaces the screen with as many lines as fit. Without a screen, prints all lines. */
function draw(lines: readonly string[], isScreen: boolean): void {
  if (!isScreen) {
    for (const line of lines) print(line)
    return
  }
  // A line feed in the last line would scroll the screen.
  const shown = lines.slice(0, process.stdout.rows - 1)
  process.stdout.write(HOME + shown.map((line) => `${line}${REST_OF_LINE}\r\n`).join('') + REST_OF_SCREEN)
}

function describe(fleet: FleetStatus) {
  const { at, nodes, stores, servers, slowestStores, limitedKeys, failingStores, workers, requestLogError } = fleet
  return {
    at,
    nodes: nodes.map(({ name, version, startedAt, seenAt, isAlive }) => ({
      name,
      version,
      alive: isAlive,
      started_at: startedAt,
      seen_at: seenAt,
    })),
    stores,
    servers: servers.map(({ server, nodes, limit, open, inUse, waiting, failure, saturation }) => ({
      server,
      nodes,
      limit,
      open,
      in_use: inUse,
      waiting,
      saturation,
      state: failure ?? 'ok',
    })),
    slowest_stores: slowestStores.map(({ id, externalId, name, slowestMs, endpoint, requests }) => ({
      id,
      external_id: externalId,
      name,
      slowest_ms: slowestMs,
      endpoint,
      requests,
    })),
    failing_stores: failingStores.map(({ id, externalId, name, server, errors, lastAt }) => ({
      id,
      external_id: externalId,
      name,
      server,
      errors,
      last_at: lastAt,
    })),
    keys_over_limit: limitedKeys.map(({ id, name, storeId, storeName, rejected, lastAt }) => ({
      id,
      name,
      store_id: storeId,
      store_name: storeName,
      rejected,
      last_at: lastAt,
    })),
    control_workers: workers.map(({ server, failure }) => ({ server, state: failure ?? 'ok' })),
    request_log_error: requestLogError === null ? null : messageOf(requestLogError),
  }
}
