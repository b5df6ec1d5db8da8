// Implements `store-sync run`: runs once, runs repeatedly with `--every`, or previews a run with `--dry-run`.

import { setTimeout } from 'node:timers/promises'
import type { Copy } from '../copies/copy.ts'
import type { CsvCopyOptions } from '../copies/files/csv-copy.ts'
import type { TablePlanOptions } from '../run/plan-table.ts'
import { preview, type TablePreview } from '../run/preview.ts'
import { run } from '../run/run.ts'
import type { CopyTable } from '../tables.ts'
import type { CliContext } from './cli-context.ts'
import { printEvent } from './cli-output.ts'
import { createCopy } from './create-copy.ts'
import { checkSingerOptions, createSingerCopy, SINGER } from './create-singer-copy.ts'
import { errorMessage } from './error-message.ts'
import { countText, rowsText } from './format.ts'
import { parseCsvDelimiter, parseDurationOption, parseSince, parseTables } from './parse-options.ts'
import { MODE_TEXTS, printProgressEvents, reportProgress, summaryText } from './progress-reporter.ts'
import { createSession, now, REFUSED_FOR_MS, type SessionOptions, type SyncSession } from './sync-session.ts'
import { isWorthRetrying } from './temporary-failure.ts'

/** The unparsed options of `run`. */
export interface RunCommandOptions extends SessionOptions {
  readonly to: string
  readonly full?: true
  readonly prune?: true
  readonly allowEmpty?: true
  readonly tables?: string
  readonly since?: string
  readonly overlap?: string
  readonly every?: string
  readonly dryRun?: true
  readonly csvDelimiter?: string
  readonly csvNoApostrophe?: true
  readonly state?: string
}

/** Thrown if the user stops the command while it waits for its next run. */
export class StoppedBetweenRuns extends Error {
  override readonly name = 'StoppedBetweenRuns'
}

/** The options for `run` and `preview` of run/. */
interface ParsedRunOptions extends TablePlanOptions {
  readonly tables?: readonly CopyTable[]
  readonly prunes: boolean
  readonly allowsEmpty: boolean
}

/** What each run of a command needs. */
interface RunTask {
  readonly session: SyncSession
  readonly parsed: ParsedRunOptions
  readonly options: RunCommandOptions
  readonly context: CliContext
}

/**
 * Runs once, or prints a preview with `--dry-run`. With `--every`, runs until the signal aborts, or until an error for
 * which `isWorthRetrying` is false. Throws `CommandLineError` before the first request, the errors of `run` or
 * `preview`, and `StoppedBetweenRuns` if the signal aborts between two runs.
 */
export async function runCommand(options: RunCommandOptions, context: CliContext): Promise<void> {
  const everyMs = options.every === undefined ? null : parseDurationOption('--every', options.every)
  const parsed = parseRunOptions(options)
  // Checks the destination before the prompt for the key. This copy is not used, because each run creates its own.
  checkSingerOptions(options)
  await createRunCopy(options, context)
  // With --every, the service can start at the same time as this command, so the client retries a refused connection
  // for its default time.
  const settings = everyMs === null ? { retryRefusedForMs: REFUSED_FOR_MS } : {}
  const task: RunTask = { session: await createSession(options, context, settings), parsed, options, context }
  if (options.dryRun) return printPreview(task)
  if (everyMs === null) return runOnce(task)
  for (;;) {
    await runOnce(task).catch((error: unknown) => {
      if (context.signal.aborted || !isWorthRetrying(error)) throw error
      reportFailure(task, error)
    })
    await setTimeout(everyMs, undefined, { signal: context.signal }).catch((cause: unknown) => {
      throw new StoppedBetweenRuns('stopped', { cause })
    })
  }
}

function reportFailure({ session, options, context: { output } }: RunTask, error: unknown): void {
  const message = `${errorMessage(error)}; next run in ${options.every}`
  session.reporter.print(`store-sync: ${message}`)
  if (options.json) printEvent(output, { event: 'error', message })
}

function parseRunOptions({ full, prune, allowEmpty, tables, since, overlap }: RunCommandOptions): ParsedRunOptions {
  return {
    isFull: full === true,
    prunes: prune === true,
    allowsEmpty: allowEmpty === true,
    ...(tables === undefined ? {} : { tables: parseTables(tables) }),
    ...(since === undefined ? {} : { since: parseSince(since) }),
    ...(overlap === undefined ? {} : { overlapMs: parseDurationOption('--overlap', overlap) }),
  }
}

function parseCsvOptions({ csvDelimiter, csvNoApostrophe }: RunCommandOptions): CsvCopyOptions {
  return {
    ...(csvDelimiter === undefined ? {} : { delimiter: parseCsvDelimiter(csvDelimiter) }),
    ...(csvNoApostrophe ? { escapesFormulas: false } : {}),
  }
}

/** Returns the copy of `--to`, without opening it. Rejects like `createCopy` and `createSingerCopy`. */
function createRunCopy(options: RunCommandOptions, { env, output }: CliContext): Promise<Copy> {
  if (options.to === SINGER) return createSingerCopy(options.state, output)
  return createCopy(options.to, env, parseCsvOptions(options))
}

/** Runs once, and prints the result. The display of the progress ends even if the run fails. */
async function runOnce({ session, parsed, options, context }: RunTask): Promise<void> {
  const { output, signal } = context
  const { client, meter, reporter } = session
  const copy = await createRunCopy(options, context)
  const requestsBefore = meter.requests
  const startedAt = now()
  if (!options.json) reporter.start()
  const onProgress = options.json ? printProgressEvents(output) : reportProgress(reporter)
  const summary = await run({ client, copy, onProgress, signal, ...parsed }).finally(() => reporter.stop())
  const totals = { ms: Math.round(now() - startedAt), requests: meter.requests - requestsBefore }
  if (options.json) printEvent(output, { event: 'run', storeId: summary.storeId, ...totals })
  else reporter.print(summaryText(summary, { ...totals, copy: copy.name, isPart: parsed.tables !== undefined }))
}

async function printPreview({ session: { client }, parsed, options, context }: RunTask): Promise<void> {
  const { output, signal } = context
  const copy = await createRunCopy(options, context)
  for await (const table of preview({ client, copy, signal, ...parsed })) {
    if (options.json) printEvent(output, { event: 'preview', ...table })
    else output.writeMessage(`${previewText(table)}\n`)
  }
  if (!options.json) output.writeMessage(`  dry run: ${copy.name} was not changed\n`)
}

function previewText({ table, mode, since, rows, isAtLeast, idsPages }: TablePreview): string {
  const from = since === null ? '' : ` since ${since}`
  const ids = idsPages === 0 ? '' : `, and ${countText(idsPages, 'page')} of IDs`
  return `${rowsText(table, rows)}${isAtLeast ? ' or more' : ''}  ${MODE_TEXTS[mode]}${from}${ids}`
}
