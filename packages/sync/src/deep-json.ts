// Parses and writes JSON that is nested too deeply for `JSON.stringify` and for `JSON.parse` with a reviver. Both
// overflow the stack at a few thousand levels. These functions store the levels in an array, which is slower. So
// exact-json.ts uses them only after such an overflow, and to sort members, or to change strings or numbers.

/** Differences of the written JSON from that of `JSON.stringify`. */
export interface JsonWriteOptions {
  /** Whether to sort the members of objects by name. */
  readonly isSorted?: boolean
  /** Changes each string and each name of a member. */
  readonly mapText?: (text: string) => string
  /** Changes the JSON of each number, and of each leaf. */
  readonly mapNumber?: (json: string) => string
}

/** Text to write unchanged. */
class Literal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Returns the JSON of a parsed value like `JSON.stringify`, at any depth. Objects for which `isLeaf` returns true, such
 * as `RawNumber`s, are leaves and go to `JSON.stringify`.
 */
export function writeDeepJson(
  value: unknown,
  isLeaf: (value: object) => boolean,
  { isSorted = false, mapText = (text) => text, mapNumber = (json) => json }: JsonWriteOptions = {},
): string {
  const written: string[] = []
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const next = stack.pop()
    if (next instanceof Literal) written.push(next.text)
    else if (typeof next === 'string') written.push(JSON.stringify(mapText(next)))
    else if (typeof next === 'number') written.push(mapNumber(JSON.stringify(next)))
    else if (typeof next !== 'object' || next === null) written.push(JSON.stringify(next) ?? 'null')
    else if (isLeaf(next)) written.push(mapNumber(JSON.stringify(next)))
    else if (Array.isArray(next)) {
      written.push('[')
      stack.push(new Literal(']'))
      // The last item of a stack is written first.
      for (let at = next.length - 1; at >= 0; at -= 1) stack.push(next[at], new Literal(at > 0 ? ',' : ''))
    } else {
      const members = Object.entries(next).filter(([, each]) => each !== undefined)
      if (isSorted) members.sort(([one], [other]) => (one < other ? -1 : 1))
      written.push('{')
      stack.push(new Literal('}'))
      for (const [at, [name, each]] of [...members.entries()].toReversed())
        stack.push(each, new Literal(`${at > 0 ? ',' : ''}${JSON.stringify(mapText(name))}:`))
    }
  }
  return written.join('')
}

/** Matches punctuation, a string, or another literal, with the white space before it. */
const TOKEN = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}[\],:"]+))/y

/**
 * Returns the value of valid JSON like `JSON.parse`, at any depth. `literal` parses numbers, booleans and null. Does
 * not check the punctuation, so invalid JSON can give a wrong value.
 */
export function parseDeepJson(text: string, literal: (text: string) => unknown): unknown {
  // A copy, because a sticky expression has a position.
  const tokens = new RegExp(TOKEN)
  const open: { readonly holder: unknown[] | Record<string, unknown>; name: string | null }[] = []
  let result: unknown
  const put = (value: unknown) => {
    const at = open.at(-1)
    if (at === undefined) result = value
    else if (Array.isArray(at.holder)) at.holder.push(value)
    else define(at.holder, at.name ?? '', value)
    if (at !== undefined) at.name = null
  }
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [, mark, string, other] = found
    const at = open.at(-1)
    if (mark === '{' || mark === '[') {
      const holder = mark === '{' ? {} : []
      put(holder)
      open.push({ holder, name: null })
    } else if (mark === '}' || mark === ']') open.pop()
    else if (string !== undefined) {
      const isName = at !== undefined && !Array.isArray(at.holder) && at.name === null
      if (isName) at.name = JSON.parse(string)
      else put(JSON.parse(string))
    } else if (other !== undefined) put(literal(other))
  }
  return result
}

/** Adds a member to an object. An assignment to `__proto__` would set the prototype instead. */
function define(holder: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') holder[name] = value
  else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}
