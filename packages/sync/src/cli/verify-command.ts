// `store-sync verify`: says where the copy is not the store.

import type { Compared, Difference, Finding, Repair, TableVerification } from '../run/findings.ts'
import { type Verification, verify } from '../run/verify.ts'
import { copyOf } from './destination.ts'
import { numberText, printEvent, tableText } from './output.ts'
import { type PersonTeller, secondsText } from './progress.ts'
import { now, REFUSED_FOR_MS, type SessionWords, sessionOf } from './session.ts'
import type { Surroundings } from './surroundings.ts'
import { tablesOf } from './usage.ts'

/** Words of `store-sync verify`. */
export interface VerifyWords extends SessionWords {
  readonly to: string
  readonly tables?: string
  readonly quick?: true
}

/** The copy is not the store; what differs has been said. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers'
}

/** What was compared of each row, for people. */
const COMPARED: Readonly<Record<Compared, string>> = {
  rows: '  (whole rows)',
  stamps: '  (ids and last changes)',
}

/** So many differences of each table are told to a person; a program gets all. */
const TOLD_MAX = 10

/** Compares as the words say. Throws what a verification throws, and `CopyDiffers`. */
export async function verifyCommand(words: VerifyWords, surroundings: Surroundings): Promise<void> {
  const { env, output, signal } = surroundings
  const isQuick = words.quick === true
  const tables = words.tables === undefined ? {} : { tables: tablesOf(words.tables) }
  const copy = await copyOf(words.to, env)
  const { client, teller } = await sessionOf(words, surroundings, { retryRefusedForMs: REFUSED_FOR_MS })
  const startedAt = now()
  if (!words.json) teller.begin()
  const observe = words.json
    ? (finding: Finding) => (finding.event === 'page' ? undefined : printEvent(output, finding))
    : tellFindings(teller, isQuick)
  const verification = await verify({ client, copy, signal, observe, isQuick, ...tables }).finally(() => teller.end())
  const { isSame, changedFiles, storeId } = verification
  if (words.json) printEvent(output, { event: 'verify', storeId, isSame, changedFiles })
  else for (const line of summaryLines(verification, copy.name, isQuick, now() - startedAt)) teller.say(line)
  if (!isSame) throw new CopyDiffers(`${copy.name} is not the store`)
}

/** What is found, for a person: a few differences of each table, and its counts. */
function tellFindings(teller: PersonTeller, isQuick: boolean): (finding: Finding) => void {
  const told = new Map<string, number>()
  return (finding) => {
    if (finding.event === 'page') return teller.page(finding)
    if (finding.event === 'verified')
      return teller.done(`${verifiedText(finding)}${isQuick ? COMPARED[finding.compared] : ''}`)
    if (finding.reason !== null) return
    const count = (told.get(finding.table) ?? 0) + 1
    told.set(finding.table, count)
    if (count <= TOLD_MAX) teller.say(`    ${differenceText(finding)}`)
    if (count === TOLD_MAX + 1) teller.say(`    … and more in ${finding.table}; --json names each`)
  }
}

function differenceText({ table, id, kind, columns }: Difference): string {
  const where = `${table} ${id}`
  if (kind === 'missing') return `${where}: missing in the copy`
  return kind === 'extra' ? `${where}: only in the copy` : `${where}: another value of ${columns.join(', ')}`
}

function verifiedText({ table, storeRows, copyRows, differences, changed, leftOut }: TableVerification): string {
  const counts = `${tableText(table, storeRows)} rows in the store, ${numberText(copyRows)} in the copy`
  const differ = differences === 0 ? 'the same' : `${numberText(differences)} differ`
  const later = changed === 0 ? '' : `, ${numberText(changed)} changed since the last run`
  const before = leftOut === 0 ? '' : `, ${numberText(leftOut)} left out by --since`
  return `${counts}  ${differ}${later}${before}`
}

/** Runs that repair more come first. */
const REPAIRS: readonly Repair[] = ['full', 'prune', 'run']
const COMMANDS: Readonly<Record<Repair, string>> = { full: 'run --full', prune: 'run --prune', run: 'run' }

function summaryLines(verification: Verification, copy: string, isQuick: boolean, ms: number): string[] {
  const { isSame, changedFiles, tables } = verification
  const rows = tables.reduce((sum, { storeRows }) => sum + storeRows, 0)
  const compared = `${numberText(rows)} rows compared, ${secondsText(ms)}`
  const isPart = tables.some(({ leftOut }) => leftOut > 0)
  const as = isQuick ? ', as far as ids and last changes say' : ''
  if (isSame) return [`  ${copy} is the store${as}${isPart ? ', but for what --since left out' : ''}: ${compared}`]
  const files = changedFiles.map((name) => `  ${name} is not as the copy is; the next run writes it again`)
  const different = tables.filter(({ differences }) => differences > 0)
  const [repair] = REPAIRS.filter((each) => different.some((table) => table.repair === each))
  const advice = repair === undefined ? [] : [`  \`store-sync ${COMMANDS[repair]}\` with the same options repairs it`]
  return [...files, ...advice, `  ${copy} is not the store: ${compared}`]
}
