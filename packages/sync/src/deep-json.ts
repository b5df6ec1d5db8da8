// JSON that is nested too deeply for the language's own functions, which call themselves for each level and overflow the
// stack at some thousand. These keep the levels in an array. They are slower, and used only after the others have failed.

/** Options of the writer. */
export interface WriteOptions {
  /** Whether members are in the order of their names. */
  readonly isSorted?: boolean
  /** Changes each string, names of members included. */
  readonly mapText?: (text: string) => string
}

/** A finished piece of the result. */
class Ready {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What JSON.stringify returns for a value that JSON.parse made, at any depth. `isLeaf` names objects that are numbers. */
export function writeDeepJson(
  value: unknown,
  isLeaf: (value: object) => boolean,
  { isSorted = false, mapText = (text) => text }: WriteOptions = {},
): string {
  const written: string[] = []
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (next instanceof Ready) written.push(next.text)
    else if (typeof next === 'string') written.push(JSON.stringify(mapText(next)))
    else if (typeof next !== 'object' || next === null || isLeaf(next)) written.push(JSON.stringify(next) ?? 'null')
    else if (Array.isArray(next)) {
      written.push('[')
      left.push(new Ready(']'))
      // what is pushed last is written first
      for (let at = next.length - 1; at >= 0; at -= 1) left.push(next[at], new Ready(at > 0 ? ',' : ''))
    } else {
      const members = Object.entries(next).filter(([, each]) => each !== undefined)
      if (isSorted) members.sort(([one], [other]) => (one < other ? -1 : 1))
      written.push('{')
      left.push(new Ready('}'))
      for (const [at, [name, each]] of [...members.entries()].toReversed())
        left.push(each, new Ready(`${at > 0 ? ',' : ''}${JSON.stringify(mapText(name))}:`))
    }
  }
  return written.join('')
}

/** A mark, a string, or a literal with the spaces before it. */
const TOKEN = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}[\],:"]+))/y

/** What JSON.parse returns for a text that it accepts, at any depth; `literal` makes numbers and words. */
export function parseDeepJson(text: string, literal: (text: string) => unknown): unknown {
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

/** A member called __proto__ is one like any other. */
function define(holder: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') holder[name] = value
  else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}
