// One pool of several connections, made of the driver's pools of one each. In its own pool of several, postgres.js 3.4.9 keeps
// an entry for every statement in its list of idle connections until all of them are busy at once, and looks through them
// all with each statement: a node that is never that busy grows, and slows down, with every request it has answered.

import type postgres from 'postgres'

type Sql = postgres.Sql
type Handler = (query: DriverQuery) => unknown

/** What the driver knows of a statement and does not declare. */
interface DriverQuery extends PromiseLike<unknown> {
  /** Runs it, when it is first awaited. */
  handler: Handler
}

/** A pool of one connection, and how many statements are under way on it. */
interface Member {
  readonly handler: Handler
  underWay: number
}

/**
 * A pool whose statements each run on the pool that has least to do, the first of these: so few connections are opened. A
 * statement that the driver loses, as it can when a connection dies, counts for ever, and keeps nobody from the others.
 */
export function spread(pools: readonly Sql[]): Sql {
  const [first] = pools
  if (first === undefined) throw new RangeError('a pool has one connection at least')
  const members = pools.map((pool): Member => ({ handler: handlerOf(pool), underWay: 0 }))
  const run: Handler = (query) => {
    const member = members.reduce((least, each) => (each.underWay < least.underWay ? each : least))
    member.underWay++
    const done = () => void member.underWay--
    query.then(done, done)
    return member.handler(query)
  }
  /** A statement is any pool's until it is awaited; names and lists of values are no statements. */
  const spreading = <T>(made: T): T => {
    if (made instanceof Promise && 'handler' in made) made.handler = run
    return made
  }
  const end: Sql['end'] = async (options) => {
    await Promise.all(pools.map((pool) => pool.end(options)))
  }
  return new Proxy(first, {
    apply: (template, _this, values) => spreading(Reflect.apply(template, undefined, values)),
    get: (template, name) => {
      if (name === 'unsafe') return (...values: Parameters<Sql['unsafe']>) => spreading(template.unsafe(...values))
      return name === 'end' ? end : Reflect.get(template, name)
    },
  })
}

/** A statement that is never awaited is never sent. */
function handlerOf(pool: Sql): Handler {
  return (pool.unsafe('') as unknown as DriverQuery).handler
}
