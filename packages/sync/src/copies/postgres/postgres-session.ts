// The one connection of a PostgreSQL copy. The driver opens another by itself when it is lost, and a transaction and the
// lock of the run would be gone without a word: here the loss ends the run with a sentence. Its `begin` and `reserve` end
// the process when a connection dies between two statements, so transactions are plain statements.

import postgres from 'postgres'
import { CopyLost, CopyProblem } from '../copy.ts'
import { isDenied, isRefusal, postgresProblem } from './postgres-problem.ts'

/** What a statement answered. */
export type Answer = postgres.RowList<postgres.Row[]>

/** How long one statement may take, in ms: the longest removes from a large table what the store no longer has. */
const ANSWER_WITHIN_MS = 30 * 60_000

/** One connection, for statements one after the other. */
export class PostgresSession {
  readonly #name: string
  readonly #answerWithinMs: number
  readonly #sql: postgres.Sql
  #processId: number | null = null
  #isLost = false
  /** Rejects the statement that is on its way: the driver leaves some of them without an end. */
  #giveUp: (() => void) | null = null

  /**
   * Connects with the first statement. `name` is what messages call the copy; a server that gives no answer for
   * `answerWithinMs` is lost. Throws `CopyLost` for what is no URL.
   */
  constructor(url: string, name: string, answerWithinMs: number = ANSWER_WITHIN_MS) {
    this.#name = name
    this.#answerWithinMs = answerWithinMs
    try {
      this.#sql = postgres(url, {
        max: 1,
        idle_timeout: 0,
        // the driver's own end of a connection after half an hour would free the lock
        max_lifetime: null,
        fetch_types: false,
        connection: { application_name: 'store-sync' },
        onnotice: () => undefined,
        onclose: () => {
          this.#isLost = true
          this.#giveUp?.()
        },
      })
    } catch {
      // the driver's own error repeats the URL, and the password with it
      throw new CopyLost(`${name} cannot be connected to: its address is no postgres:// URL`)
    }
  }

  /** Runs one statement. Throws `CopyLost`, `CopyProblem`, or the server's error. */
  async run(text: string, values: (string | null)[] = []): Promise<Answer> {
    if (this.#isLost) throw this.#lost()
    let answer: Answer
    try {
      answer = await this.#sent(text, values)
    } catch (error) {
      if (isRefusal(error)) throw postgresProblem(error, this.#name)
      this.#isLost = true
      throw this.#lost(error)
    }
    this.#processId ??= answer.state.pid
    if (this.#processId === answer.state.pid) return answer
    this.#isLost = true
    throw this.#lost()
  }

  /** What `work` answers, committed; nothing of it where it throws. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('begin')
    try {
      const done = await work()
      await this.run('commit')
      return done
    } catch (error) {
      // on a lost connection the server rolls back by itself; the first error tells more than that of a rollback
      if (!this.#isLost) await this.run('rollback').catch(() => undefined)
      throw error
    }
  }

  /** Ends the connection, and with it whatever it holds. */
  async end(): Promise<void> {
    await this.#sql.end({ timeout: this.#isLost ? 0 : 5 })
  }

  #sent(text: string, values: (string | null)[]): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined
    return new Promise<Answer>((resolve, reject) => {
      this.#giveUp = () => reject(new Error('the connection was closed'))
      const seconds = Math.round(this.#answerWithinMs / 1000)
      timer = setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), this.#answerWithinMs)
      this.#sql.unsafe(text, values, { prepare: values.length > 0 }).then(resolve, reject)
    }).finally(() => {
      clearTimeout(timer)
      this.#giveUp = null
    })
  }

  #lost(cause?: unknown): CopyLost | CopyProblem {
    if (isDenied(cause))
      return new CopyProblem(
        `${this.#name} refuses the connection (${reasonOf(cause)}): check the URL and its password`,
        {
          cause,
        },
      )
    const why = cause === undefined ? '' : ` (${reasonOf(cause)})`
    const sentence =
      this.#processId === null
        ? `${this.#name} does not let itself be connected to${why}`
        : `the connection to ${this.#name} was lost${why}: run again, and the copy goes on from what it has`
    return new CopyLost(sentence, { cause })
  }
}

/** Of a host with several addresses the error has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
