// Implements `store-sync verify`: prints the differences between the copy and the store, and the run that repairs them.

import type { CompareMode, Difference, RepairRun, TableVerification, VerifyEvent } from '../run/table-differences.ts'
import { type Verification, verify } from '../run/verify.ts'
import type { CliContext } from './cli-context.ts'
import { printEvent } from './cli-output.ts'
import { createCopy } from './create-copy.ts'
import { countText, numberText, rowsText, secondsText } from './format.ts'
import { parseTables } from './parse-options.ts'
import type { ProgressReporter } from './progress-reporter.ts'
import { createSession, now, REFUSED_FOR_MS, type SessionOptions } from './sync-session.ts'

/** The unparsed options of `verify`. */
export interface VerifyCommandOptions extends SessionOptions {
  readonly to: string
  readonly tables?: string
  readonly quick?: true
}

/** Thrown if the copy differs from the store, after the command has printed the differences. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers'
}

/** The compared parts of each row, in words for people. */
const COMPARED_TEXTS: Readonly<Record<CompareMode, string>> = {
  rows: '  (whole rows)',
  timestamps: '  (IDs and timestamps)',
}

/** Maximum differences that the command prints for a table. With `--json`, it prints all. */
const SHOWN_MAX = 10

/**
 * Compares once, and prints the result. Throws `CommandLineError` before the first request, and the errors of `verify`.
 * Throws `CopyDiffers` if a difference has no known reason, or if a file of the copy has changed.
 */
export async function verifyCommand(options: VerifyCommandOptions, context: CliContext): Promise<void> {
  const { env, output, signal } = context
  const isQuick = options.quick === true
  const tables = options.tables === undefined ? {} : { tables: parseTables(options.tables) }
  const copy = await createCopy(options.to, env)
  const { client, reporter } = await createSession(options, context, { retryRefusedForMs: REFUSED_FOR_MS })
  const startedAt = now()
  if (!options.json) reporter.start()
  const onEvent = options.json
    ? (event: VerifyEvent) => (event.event === 'page' ? undefined : printEvent(output, event))
    : reportDifferences(reporter, isQuick)
  const verification = await verify({ client, copy, signal, onEvent, isQuick, ...tables }).finally(() =>
    reporter.stop(),
  )
  const { isSame, changedFiles, storeId } = verification
  if (options.json) printEvent(output, { event: 'verify', storeId, isSame, changedFiles })
  else for (const line of summaryLines(verification, copy.name, isQuick, now() - startedAt)) reporter.print(line)
  if (!isSame) throw new CopyDiffers(`${copy.name} differs from the store`)
}

/**
 * Returns a handler that prints the counts of each table, and its first differences. It doesn't print differences with
 * a known reason, such as a row that changed after the last run.
 */
function reportDifferences(reporter: ProgressReporter, isQuick: boolean): (event: VerifyEvent) => void {
  const counts = new Map<string, number>()
  return (event) => {
    if (event.event === 'page') return reporter.page(event)
    if (event.event === 'verified')
      return reporter.done(`${verifiedText(event)}${isQuick ? COMPARED_TEXTS[event.compared] : ''}`)
    if (event.reason !== null) return
    const count = (counts.get(event.table) ?? 0) + 1
    counts.set(event.table, count)
    if (count <= SHOWN_MAX) reporter.print(`    ${differenceText(event)}`)
    if (count === SHOWN_MAX + 1) reporter.print(`    … and more in ${event.table}; --json prints all`)
  }
}

function differenceText({ table, id, kind, columns }: Difference): string {
  const row = `${table} ${id}`
  if (kind === 'missing') return `${row}: missing in the copy`
  return kind === 'extra' ? `${row}: only in the copy` : `${row}: different ${columns.join(', ')}`
}

function verifiedText({ table, storeRows, copyRows, differences, changed, leftOut }: TableVerification): string {
  const counts = `${rowsText(table, storeRows)} in the store, ${numberText(copyRows)} in the copy`
  const different = differences === 0 ? 'the same' : `${numberText(differences)} different`
  const later = changed === 0 ? '' : `, ${numberText(changed)} changed since the last run`
  const skipped = leftOut === 0 ? '' : `, ${numberText(leftOut)} skipped by --since`
  return `${counts}  ${different}${later}${skipped}`
}

/** Runs that repair differences. The run that repairs most comes first. */
const REPAIRS: readonly RepairRun[] = ['full', 'prune', 'run']
const COMMANDS: Readonly<Record<RepairRun, string>> = { full: 'run --full', prune: 'run --prune', run: 'run' }

/**
 * Returns the last lines: whether the copy is the same, and otherwise the changed files and the run that repairs most.
 */
function summaryLines(verification: Verification, copy: string, isQuick: boolean, ms: number): string[] {
  const { isSame, changedFiles, tables } = verification
  const rows = tables.reduce((sum, { storeRows }) => sum + storeRows, 0)
  const compared = `${countText(rows, 'row')} compared, ${secondsText(ms)}`
  const isPart = tables.some(({ leftOut }) => leftOut > 0)
  const quick = isQuick ? ' in IDs and timestamps' : ''
  if (isSame)
    return [`  ${copy} matches the store${quick}${isPart ? ', except rows that --since skipped' : ''}: ${compared}`]
  const files = changedFiles.map((name) => `  ${name} does not match the copy; the next run writes it again`)
  const different = tables.filter(({ differences }) => differences > 0)
  const [repair] = REPAIRS.filter((each) => different.some((table) => table.repair === each))
  const advice =
    repair === undefined ? [] : [`  to repair it, run \`store-sync ${COMMANDS[repair]}\` with the same options`]
  return [...files, ...advice, `  ${copy} differs from the store: ${compared}`]
}
